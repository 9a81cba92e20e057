import { leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { type Pool, pool } from '../../wire/usage.ts';

const { scope } = pool.shape;

export function toPool(message: PoolMessage): Pool {
  const left = leftInPool(message);
  return {
    id: message.id,
    name: message.name,
    scope: scope.parse(message.scope),
    ownerId: message.ownerId,
    includedUsd: left === null ? null : formatUsd(BigInt(message.included)),
    usedUsd: formatUsd(BigInt(message.charged)),
    leftUsd: left === null ? null : formatUsd(left),
    heldUsd: formatUsd(BigInt(message.held)),
    remainingUsd: left === null ? null : formatUsd(BigInt(message.remaining)),
    resetsAtMs: message.resetsAt === undefined ? null : Number(message.resetsAt) * 1_000,
    expiresAtMs: message.expiresAt === undefined ? null : Number(message.expiresAt) * 1_000,
  };
}
