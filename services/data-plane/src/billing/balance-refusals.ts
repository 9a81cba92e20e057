import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { GatewayError } from '@model-gateway/shared';
import { balanceContended, balanceUnreachable } from '@model-gateway/shared/errors';

/** Thrown when the pools cannot cover a request. Carries what they have left and what other requests hold. */
export class InsufficientBalance extends Error {
  override readonly name = 'InsufficientBalance';
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  /** Unix seconds of the next reset; undefined: never. */
  readonly resetsAt: number | undefined;
  /** Cost of ended requests beyond the pools. */
  readonly uncollectedNanoUsd: bigint;

  constructor(
    figures: Pick<
      InsufficientBalance,
      'availableNanoUsd' | 'heldNanoUsd' | 'resetsAt' | 'uncollectedNanoUsd'
    >,
  ) {
    super('the pools cannot cover the request');
    this.availableNanoUsd = figures.availableNanoUsd;
    this.heldNanoUsd = figures.heldNanoUsd;
    this.resetsAt = figures.resetsAt;
    this.uncollectedNanoUsd = figures.uncollectedNanoUsd;
  }
}

/** Returns the 503 for a balance that cannot be determined now. */
export function balanceUnavailable(cause: unknown): GatewayError {
  return grpcStatus(cause) === GrpcStatus.ABORTED ? balanceContended(cause) : balanceUnreachable(cause);
}
