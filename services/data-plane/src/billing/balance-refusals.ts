import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { GatewayError } from '@model-gateway/shared';
import { balanceContended, balanceUnreachable, type MissingBalance } from '@model-gateway/shared/errors';
import type { FundingWindow } from './funding.ts';

/** A budget that does not cover a request. */
export interface ShortBudget {
  window: FundingWindow;
  limitNanoUsd: bigint;
  /** Can still be set aside. */
  availableNanoUsd: bigint;
  /** Set aside for other requests. */
  heldNanoUsd: bigint;
}

/** The state of pools and budgets that do not cover a request. */
export interface BalanceFigures {
  /** Left in the pools. */
  availableNanoUsd: bigint;
  /** Set aside from the pools for other requests. */
  heldNanoUsd: bigint;
  /** Unix seconds of the next reset; undefined: never. */
  resetsAt: number | undefined;
  /** Cost of ended requests beyond the pools. */
  uncollectedNanoUsd: bigint;
  /** The budget with the least left; undefined: the pools alone do not cover a request. */
  budget?: ShortBudget | undefined;
}

/** Thrown when pools or budgets cannot cover a request. */
export class InsufficientBalance extends Error {
  override readonly name = 'InsufficientBalance';
  readonly figures: BalanceFigures;

  constructor(figures: BalanceFigures) {
    super(`${figures.budget === undefined ? 'the pools' : 'a budget'} cannot cover the request`);
    this.figures = figures;
  }

  /**
   * Returns the figures for the caller: those of the budget, else of the pools.
   * @param ownNanoUsd held for this request already
   */
  missing(ownNanoUsd = 0n): Omit<MissingBalance, 'neededNanoUsd' | 'fitsMaxTokens'> {
    const { budget, ...pools } = this.figures;
    const { availableNanoUsd, heldNanoUsd } = budget ?? pools;
    const held = { heldNanoUsd: heldNanoUsd > ownNanoUsd ? heldNanoUsd - ownNanoUsd : 0n };
    if (budget === undefined) return { ...pools, ...held };
    const { endsAtMs } = budget.window;
    const { id, scope, window } = budget.window.budget;
    return {
      availableNanoUsd,
      ...held,
      resetsAt: Number.isFinite(endsAtMs) ? Math.floor(endsAtMs / 1_000) : undefined,
      budget: { id, scope, window, limitNanoUsd: budget.limitNanoUsd },
    };
  }
}

/** Returns the 503 for a balance that cannot be determined now. */
export function balanceUnavailable(cause: unknown): GatewayError {
  return grpcStatus(cause) === GrpcStatus.ABORTED ? balanceContended(cause) : balanceUnreachable(cause);
}
