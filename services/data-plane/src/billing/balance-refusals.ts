import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { GatewayError } from '@model-gateway/shared';
import { balanceContended, balanceUnreachable } from '@model-gateway/shared/errors';

/** The pools cannot cover the request. Tells what they have left, and how much others have set aside. */
export class InsufficientBalance extends Error {
  override readonly name = 'InsufficientBalance';
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  /** Unix seconds; undefined: never. */
  readonly resetsAt: number | undefined;

  constructor(figures: Pick<InsufficientBalance, 'availableNanoUsd' | 'heldNanoUsd' | 'resetsAt'>) {
    super('the pools cannot cover the request');
    this.availableNanoUsd = figures.availableNanoUsd;
    this.heldNanoUsd = figures.heldNanoUsd;
    this.resetsAt = figures.resetsAt;
  }
}

/** The error 503 while it cannot be found out whether the pools cover a request. */
export function balanceUnavailable(cause: unknown): GatewayError {
  return grpcStatus(cause) === GrpcStatus.ABORTED ? balanceContended(cause) : balanceUnreachable(cause);
}
