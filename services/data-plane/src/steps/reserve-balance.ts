import { creditUrlOf } from '@model-gateway/service-kit';
import { type GatewayError, maxCostOf, priceToHold } from '@model-gateway/shared';
import { insufficientBalance, tooManyToSettle } from '@model-gateway/shared/errors';
import type { Allowances } from '../billing/allowances.ts';
import { InsufficientBalance } from '../billing/balance-refusals.ts';
import { fittingMaxTokens } from '../billing/fitting-max-tokens.ts';
import { fundingOf } from '../billing/funding.ts';
import { continueWith } from '../http/continue-with.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { HeldRequests } from '../settlement/held-requests.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { Candidate, Candidates } from '../upstream/candidates.ts';

export interface ReserveContext {
  allowances: Pick<Allowances, 'reserve'>;
  heldRequests: Pick<HeldRequests, 'add'>;
  settlement: Pick<SettlementStream, 'isFull' | 'waitForSpace'>;
  /** `CREDIT_URL`, where account holders buy credit. */
  creditUrl: string | undefined;
}

/**
 * Reserves the maximum cost of the most expensive candidate; for a stream, only for the first part of its
 * output. Drops fallbacks of the catalog that pools or budgets cannot cover. Sets `record.hold` and
 * `record.budgets`.
 * @returns undefined if the money was at hand, otherwise a promise
 * @throws GatewayError 402 if pools or budgets cannot cover it; 503 if that cannot be determined, or too many
 *   ended requests wait for settlement
 */
export function reserveBalance(
  context: ReserveContext,
  exchange: AuthenticatedExchange,
  candidates: Candidates,
): Promise<undefined> | undefined {
  const { heldRequests, settlement } = context;
  heldRequests.add(exchange.record);
  const { current, others } = candidates;
  if (current.model.price === undefined && others.every(({ model }) => model.price === undefined)) return;
  return continueWith(settlement.isFull ? settlement.waitForSpace() : true, (hasSpace) => {
    if (!hasSpace) throw tooManyToSettle();
    const needed = maxCostOfCandidates(current, others);
    return reserveBound(context, exchange, candidates, needed)?.catch((failure: unknown) => {
      if (!(failure instanceof InsufficientBalance)) throw failure;
      return reserveForNamed(context, exchange, candidates, { needed, missing: failure });
    });
  });
}

/** Reserves a cost bound. @returns undefined if the money was at hand */
function reserveBound(
  { allowances }: ReserveContext,
  { record, stop }: AuthenticatedExchange,
  { current: { request } }: Candidates,
  { first, whole }: CostBound,
): Promise<undefined> | undefined {
  if (first === 0n) return undefined;
  const funding = fundingOf(record);
  const { trace } = record;
  const reserving =
    trace === undefined
      ? allowances.reserve(funding, first, stop.signal, whole)
      : trace.call('gateway.v1.BillingService/AcquireAllowance', () =>
          allowances.reserve(funding, first, stop.signal, whole),
        );
  return continueWith(reserving, (hold) => {
    hold.maxUnits = request.maxUnits;
    hold.serviceTier = request.serviceTier;
    record.hold = hold;
    if (trace !== undefined) trace.reservedAtMs = performance.now();
    if (funding.windowIds.length > 0) record.budgets = funding.windowIds;
    return undefined;
  });
}

/** Reserves the cost of the models that the caller named, and drops the others that cost more. */
async function reserveForNamed(
  context: ReserveContext,
  exchange: AuthenticatedExchange,
  candidates: Candidates,
  { missing, needed }: { missing: InsufficientBalance; needed: CostBound },
): Promise<undefined> {
  const { creditUrl } = context;
  const { current, others } = candidates;
  const ownCreditUrl = creditUrl && creditUrlOf(creditUrl, exchange.record.key.accountId);
  // A payer whose requests run one at a time reserves all at once.
  const needOf = ({ first, whole }: CostBound) => (missing.figures.uncollectedNanoUsd > 0n ? whole : first);
  const neededForNamed = maxCostOfCandidates(
    current,
    others.filter(({ isNamed }) => isNamed),
  );
  const needForNamed = needOf(neededForNamed);
  if (needForNamed === needOf(needed)) throw refusal(candidates, needForNamed, missing, ownCreditUrl);
  candidates.keepOthers((other) => needOf(costBoundOf(other)) <= needForNamed);
  try {
    await reserveBound(context, exchange, candidates, neededForNamed);
  } catch (failure) {
    if (!(failure instanceof InsufficientBalance)) throw failure;
    throw refusal(candidates, needForNamed, failure, ownCreditUrl);
  }
}

/** Maximum costs in nano-USD: of the part that is reserved at first, and of the whole request. */
interface CostBound {
  first: bigint;
  whole: bigint;
}

function maxCostOfCandidates(current: Candidate, others: readonly Candidate[]): CostBound {
  const max = costBoundOf(current);
  for (const other of others) {
    const { first, whole } = costBoundOf(other);
    if (first > max.first) max.first = first;
    if (whole > max.whole) max.whole = whole;
  }
  return max;
}

function costBoundOf({ model: { price }, request }: Candidate): CostBound {
  const { maxUnits, otherModels = [], serviceTier, unusedUnits, wholeOutput } = request;
  if (price === undefined) return { first: 0n, whole: 0n };
  const toHold = priceToHold(price.selling, serviceTier);
  let first = maxCostOf(maxUnits, toHold, unusedUnits);
  // Web searches are charged to the request's own model only.
  for (const other of otherModels) {
    if (other.price === undefined) continue;
    const ofOther = priceToHold(other.price.selling, serviceTier);
    first += maxCostOf({ ...maxUnits, webSearchRequests: 0 }, ofOther, unusedUnits);
  }
  if (wholeOutput === undefined) return { first, whole: first };
  const whole = maxCostOf({ ...maxUnits, outputTokens: wholeOutput }, toHold, unusedUnits);
  return { first, whole };
}

function refusal(
  { current: { model, request }, others }: Candidates,
  neededNanoUsd: bigint,
  failure: InsufficientBalance,
  creditUrl: string | undefined,
): GatewayError {
  const { choices, defaultOutput, otherModels = [], outputField, serviceTier, unusedUnits } = request;
  const { wholeOutput } = request;
  const maxUnits = { ...request.maxUnits, outputTokens: wholeOutput ?? request.maxUnits.outputTokens };
  const missing = failure.missing();
  // A fitting limit is only computed for a single model.
  const isAlone = others.length === 0 && otherModels.length === 0;
  const fitsMaxTokens =
    defaultOutput && isAlone && model.price !== undefined
      ? fittingMaxTokens(
          maxUnits,
          priceToHold(model.price.selling, serviceTier),
          missing.availableNanoUsd,
          choices,
          unusedUnits,
        )
      : undefined;
  return insufficientBalance({
    ...missing,
    neededNanoUsd,
    fitsMaxTokens,
    outputField,
    creditUrl,
  });
}
