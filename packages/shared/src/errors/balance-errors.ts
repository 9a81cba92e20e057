import { formatUsd, shortUsd } from '../billing/money.ts';
import type { BudgetWindow, RuleScope } from '../rules/rules.ts';
import { GatewayError } from './gateway-error.ts';

/** The budget that does not cover a request. */
export interface ExceededBudget {
  id: string;
  scope: RuleScope;
  window: BudgetWindow;
  limitNanoUsd: bigint;
}

export interface MissingBalance {
  /** The maximum cost of the request. */
  neededNanoUsd: bigint;
  /** Left in the pools, or in the budget if there is one. */
  availableNanoUsd: bigint;
  /** Money reserved for other running requests. The unused part returns. */
  heldNanoUsd: bigint;
  /** Unix seconds of the next reset of a pool, or of the budget; undefined: never. */
  resetsAt: number | undefined;
  /** Cost of ended requests beyond the balance. Until it has that much again, they run one at a time. */
  uncollectedNanoUsd?: bigint | undefined;
  /**
   * The largest `max_tokens` that the balance covers; undefined when no value is small enough, or when the
   * request has no such field.
   */
  fitsMaxTokens: number | undefined;
  /** The name of that field in the caller's API, if it is not `max_tokens`. */
  outputField?: string | undefined;
  /** URL where the account buys credit; undefined: there is none. */
  creditUrl?: string | undefined;
  /** The budget that is too small; undefined: the pools are. */
  budget?: ExceededBudget | undefined;
}

const RETRY_AFTER_SECONDS = 1;

/** The error 402 (docs/errors.md, "Error codes"). */
export function insufficientBalance(missing: MissingBalance): GatewayError {
  return balanceError(missing, `This request may cost up to ${usd(missing.neededNanoUsd)}`);
}

/** The 402 that ends a stream. @param missing `neededNanoUsd`: for the next part; `heldNanoUsd`: by others */
export function balanceUsedUp(missing: Omit<MissingBalance, 'fitsMaxTokens'>): GatewayError {
  const { neededNanoUsd } = missing;
  const cause = `The response ends here, because its next part may cost ${usd(neededNanoUsd)}`;
  return balanceError({ ...missing, fitsMaxTokens: undefined }, cause);
}

function balanceError(missing: MissingBalance, cause: string): GatewayError {
  const { budget, neededNanoUsd, availableNanoUsd, heldNanoUsd, resetsAt, fitsMaxTokens } = missing;
  const isHeld = availableNanoUsd + heldNanoUsd >= neededNanoUsd;
  return new GatewayError('insufficient_balance', messageOf(missing, cause, isHeld), {
    headers: isHeld ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : { 'x-should-retry': 'false' },
    details: {
      needed_usd: formatUsd(neededNanoUsd),
      available_usd: formatUsd(availableNanoUsd),
      held_usd: formatUsd(heldNanoUsd),
      resets_at: resetsAt ?? null,
      ...(budget === undefined
        ? {}
        : {
            scope: budget.scope,
            budget_id: budget.id,
            limit_usd: formatUsd(budget.limitNanoUsd),
            remaining_usd: formatUsd(availableNanoUsd),
            window: budget.window,
          }),
      ...(fitsMaxTokens === undefined ? {} : { max_tokens: fitsMaxTokens }),
    },
  });
}

function messageOf(
  {
    availableNanoUsd,
    heldNanoUsd,
    resetsAt,
    uncollectedNanoUsd = 0n,
    fitsMaxTokens,
    outputField = 'max_tokens',
    creditUrl,
    budget,
  }: MissingBalance,
  cause: string,
  isHeld: boolean,
): string {
  // Reserved money is not spent, so it is part of what is left.
  const leftNanoUsd = availableNanoUsd + heldNanoUsd;
  const source = budget === undefined ? 'the balance' : describeBudget(budget);
  const needs = `${cause}, and ${source} has ${usd(leftNanoUsd)} left`;
  const held = heldNanoUsd > 0n ? `; running requests have reserved ${usd(heldNanoUsd)} of it` : '';
  const oneByOne =
    uncollectedNanoUsd === 0n
      ? ''
      : ` Earlier requests cost ${usd(uncollectedNanoUsd)} more than the balance had: until it has that much ` +
        'again, requests run one at a time.';
  const ways: string[] = [];
  if (fitsMaxTokens !== undefined) ways.push(`set ${outputField} to at most ${fitsMaxTokens}`);
  if (isHeld) ways.push('retry when they have ended');
  if (ways.length === 0 && availableNanoUsd > 0n) ways.push('send a smaller request');
  if (ways.length === 0 || !isHeld) {
    if (budget !== undefined) ways.push('ask for a higher budget');
    else ways.push(creditUrl === undefined ? 'ask for a higher balance' : `buy credit at ${creditUrl}`);
  }
  // The reset may add less than the request needs.
  const added = budget === undefined ? 'adds credit' : 'begins a new budget';
  const reset = isHeld || resetsAt === undefined ? '' : ` A reset at ${timeOf(resetsAt)} ${added}.`;
  return `${needs}${held}.${oneByOne} ${capitalized(ways.join(', or '))}.${reset}`;
}

const OWNERS: Readonly<Record<RuleScope, string>> = {
  key: 'of this key',
  seat: 'of this seat',
  team: 'of the team',
  account: 'of the account',
  end_user: 'of this end user',
};

/** Describes a budget: "the budget of this key (25.00 USD a month)". */
function describeBudget({ limitNanoUsd, scope, window }: ExceededBudget): string {
  const per = window === 'total' ? 'in total' : `a ${window}`;
  return `the budget ${OWNERS[scope]} (${shortUsd(limitNanoUsd)} USD ${per})`;
}

function usd(nanoUsd: bigint): string {
  return `${formatUsd(nanoUsd).replace(/\.?0+$/, '')} USD`;
}

function timeOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** The error when no control plane can reserve money. */
export function balanceUnreachable(cause: unknown): GatewayError {
  const message =
    'The gateway cannot reserve money at the moment. ' +
    'Your key and your balance are not the problem: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

/** The error when several data planes compete for the last money of a pool. */
export function balanceContended(cause: unknown): GatewayError {
  const message = 'Other requests are competing for the last money of your pools. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

export function tooManyToSettle(): GatewayError {
  const message = 'Too many paid requests wait for settlement. Retry in a second, or use a free model.';
  return new GatewayError('overloaded', message);
}

/**
 * The error when the cost of an answer could not be recorded. It advises no retry: the provider has answered,
 * and client libraries that retry by themselves would pay each time.
 */
export function costNotRecorded(): GatewayError {
  const message =
    'The provider has answered, but the cost could not be recorded in time, so the answer is withheld. ' +
    'It will be billed: look for the receipt at GET /v1/usage/requests/{request_id}.';
  return new GatewayError('control_plane_unavailable', message, { headers: { 'x-should-retry': 'false' } });
}
