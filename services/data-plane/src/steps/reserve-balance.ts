import { creditUrlOf } from '@model-gateway/service-kit';
import { type GatewayError, maxCostOf } from '@model-gateway/shared';
import { insufficientBalance, tooManyToSettle } from '@model-gateway/shared/errors';
import type { Allowances } from '../billing/allowances.ts';
import { InsufficientBalance } from '../billing/balance-refusals.ts';
import { fittingMaxTokens } from '../billing/fitting-max-tokens.ts';
import { fundingOf } from '../billing/funding.ts';
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
 * @throws GatewayError 402 if pools or budgets cannot cover it; 503 if that cannot be determined, or too many
 *   ended requests wait for settlement
 */
export async function reserveBalance(
  { allowances, creditUrl, heldRequests, settlement }: ReserveContext,
  { record, stop }: AuthenticatedExchange,
  candidates: Candidates,
): Promise<void> {
  heldRequests.add(record);
  const { current, others } = candidates;
  if (current.model.price === undefined && others.every(({ model }) => model.price === undefined)) return;
  // Check `isFull` first, to save a promise per request.
  if (settlement.isFull && !(await settlement.waitForSpace())) throw tooManyToSettle();
  const funding = fundingOf(record);
  const cover = async ({ first, whole }: CostBound): Promise<InsufficientBalance | undefined> => {
    if (first === 0n) return undefined;
    try {
      record.hold = await allowances.reserve(funding, first, stop.signal, whole);
      record.hold.maxUnits = current.request.maxUnits;
      if (funding.windowIds.length > 0) record.budgets = funding.windowIds;
      return undefined;
    } catch (failure) {
      if (failure instanceof InsufficientBalance) return failure;
      throw failure;
    }
  };
  const needed = maxCostOfCandidates(current, others);
  const missing = await cover(needed);
  if (missing === undefined) return;
  const ownCreditUrl = creditUrl && creditUrlOf(creditUrl, record.key.accountId);
  // A payer whose requests run one at a time reserves all at once.
  const needOf = ({ first, whole }: CostBound) => (missing.figures.uncollectedNanoUsd > 0n ? whole : first);
  const neededForNamed = maxCostOfCandidates(
    current,
    others.filter(({ isNamed }) => isNamed),
  );
  const needForNamed = needOf(neededForNamed);
  if (needForNamed === needOf(needed)) throw refusal(candidates, needForNamed, missing, ownCreditUrl);
  candidates.keepOthers((other) => needOf(costBoundOf(other)) <= needForNamed);
  const missingForNamed = await cover(neededForNamed);
  if (missingForNamed !== undefined) throw refusal(candidates, needForNamed, missingForNamed, ownCreditUrl);
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
  const { maxUnits, otherModels = [], unusedUnits, wholeOutput } = request;
  if (price === undefined) return { first: 0n, whole: 0n };
  let first = maxCostOf(maxUnits, price.of, unusedUnits);
  // Web searches are charged to the request's own model only.
  for (const other of otherModels) {
    if (other.price === undefined) continue;
    first += maxCostOf({ ...maxUnits, webSearchRequests: 0 }, other.price.of, unusedUnits);
  }
  if (wholeOutput === undefined) return { first, whole: first };
  const whole = maxCostOf({ ...maxUnits, outputTokens: wholeOutput }, price.of, unusedUnits);
  return { first, whole };
}

function refusal(
  { current: { model, request }, others }: Candidates,
  neededNanoUsd: bigint,
  failure: InsufficientBalance,
  creditUrl: string | undefined,
): GatewayError {
  const { choices, defaultOutput, otherModels = [], outputField, unusedUnits, wholeOutput } = request;
  const maxUnits = { ...request.maxUnits, outputTokens: wholeOutput ?? request.maxUnits.outputTokens };
  const missing = failure.missing();
  // A fitting limit is only computed for a single model.
  const isAlone = others.length === 0 && otherModels.length === 0;
  const fitsMaxTokens =
    defaultOutput && isAlone && model.price !== undefined
      ? fittingMaxTokens(maxUnits, model.price.of, missing.availableNanoUsd, choices, unusedUnits)
      : undefined;
  return insufficientBalance({
    ...missing,
    neededNanoUsd,
    fitsMaxTokens,
    outputField,
    creditUrl,
  });
}
