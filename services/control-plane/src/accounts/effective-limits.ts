import {
  FREE_REQUESTS_PER_MINUTE,
  PAID_REQUESTS_PER_MINUTE,
  READ_REQUESTS_PER_MINUTE,
} from '@model-gateway/shared';

export interface Limits {
  freePerMinute: number;
  paidPerMinute: number;
  readsPerMinute: number;
  concurrentStreams: number;
}

/** Limits set for one account. Null: the default. */
export type OwnLimits = { [Limit in keyof Limits]: number | null };

/** @param concurrentStreams the default, which is a setting of the control plane */
export function effectiveLimits(own: OwnLimits, concurrentStreams: number): Limits {
  return {
    freePerMinute: own.freePerMinute ?? FREE_REQUESTS_PER_MINUTE,
    paidPerMinute: own.paidPerMinute ?? PAID_REQUESTS_PER_MINUTE,
    readsPerMinute: own.readsPerMinute ?? READ_REQUESTS_PER_MINUTE,
    concurrentStreams: own.concurrentStreams ?? concurrentStreams,
  };
}
