import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { GatewayError } from '@model-gateway/shared';

/**
 * The pools cannot cover the request. Tells what they have left, and how much of that is set aside for other
 * requests.
 */
export class InsufficientCredit extends Error {
  override readonly name = 'InsufficientCredit';
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  /** Unix seconds; undefined: never. */
  readonly resetsAt: number | undefined;

  constructor(figures: Pick<InsufficientCredit, 'availableNanoUsd' | 'heldNanoUsd' | 'resetsAt'>) {
    super('the pools cannot cover the request');
    this.availableNanoUsd = figures.availableNanoUsd;
    this.heldNanoUsd = figures.heldNanoUsd;
    this.resetsAt = figures.resetsAt;
  }
}

/** The error 503 while it cannot be found out whether the pools cover a request. */
export function creditUnavailable(cause: unknown): GatewayError {
  const message =
    grpcStatus(cause) === GrpcStatus.ABORTED
      ? 'Other requests are settling what the pools have left. Retry in a second.'
      : 'The gateway cannot reserve credit at the moment. Your key and your balance are not the problem: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}
