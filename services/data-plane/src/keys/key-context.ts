import type { KeyContextMessage } from '@model-gateway/contracts';
import type { Payer } from '@model-gateway/shared';

/** An active key, as the data plane knows it. */
export interface KeyContext {
  keyId: string;
  accountId: string;
  seatId: string | undefined;
  teamId: string | undefined;
  payer: Payer;
  /** From when on the key is refused, in Unix milliseconds; undefined: never. */
  expiresAtMs: number | undefined;
  limits: {
    freePerMinute: number;
    paidPerMinute: number;
    readsPerMinute: number;
    concurrentStreams: number;
    /** The limit of all keys of the team together; undefined for a key that is on no seat. */
    teamPerMinute: number | undefined;
  };
}

export function keyContextFromMessage(message: KeyContextMessage): KeyContext {
  const limits = message.limits;
  if (limits === null) throw new Error('the control plane sent a key without limits');
  return {
    keyId: message.keyId,
    accountId: message.accountId,
    seatId: message.seatId,
    teamId: message.teamId,
    payer: message.payer,
    expiresAtMs: message.expiresAtMs === undefined ? undefined : Number(message.expiresAtMs),
    limits: {
      freePerMinute: limits.freePerMinute,
      paidPerMinute: limits.paidPerMinute,
      readsPerMinute: limits.readsPerMinute,
      concurrentStreams: limits.concurrentStreams,
      teamPerMinute: limits.teamPerMinute,
    },
  };
}
