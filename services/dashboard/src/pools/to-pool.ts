import { leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { type Pool, pool } from '../../wire/usage.ts';

const { scope } = pool.shape;

export function toPool(message: PoolMessage): Pool {
  return {
    id: message.id,
    name: message.name,
    scope: scope.parse(message.scope),
    ownerId: message.ownerId,
    includedUsd: formatUsd(BigInt(message.included)),
    usedUsd: formatUsd(BigInt(message.charged)),
    leftUsd: formatUsd(leftInPool(message)),
    heldUsd: formatUsd(BigInt(message.held)),
    remainingUsd: formatUsd(BigInt(message.remaining)),
    resetsAtMs: message.resetsAt === undefined ? null : Number(message.resetsAt) * 1_000,
  };
}
