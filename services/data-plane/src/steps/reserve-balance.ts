import { creditUrlOf } from '@model-gateway/service-kit';
import { type GatewayError, maxCostOf } from '@model-gateway/shared';
import { insufficientBalance, tooManyToSettle } from '@model-gateway/shared/errors';
import type { Allowances } from '../billing/allowances.ts';
import { InsufficientBalance } from '../billing/balance-refusals.ts';
import { fittingMaxTokens } from '../billing/fitting-max-tokens.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { HeldRequests } from '../settlement/held-requests.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { Candidate, Candidates } from '../upstream/candidates.ts';

export interface ReserveContext {
  allowances: Pick<Allowances, 'reserve'>;
  heldRequests: Pick<HeldRequests, 'add'>;
  settlement: Pick<SettlementStream, 'isFull' | 'waitForSpace'>;
  /** Where account holders buy credit; undefined: from the operator. */
  creditUrl: string | undefined;
}

/**
 * Reserves the maximum cost of a request, that of its most expensive candidate. Fallbacks of the catalog that
 * the pools cannot cover are dropped. Sets `record.hold`.
 * @throws GatewayError 402 if the pools cannot cover it; 503 if that cannot be determined, or too many ended
 *   requests wait for settlement
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
  const cover = async (needed: bigint): Promise<InsufficientBalance | undefined> => {
    if (needed === 0n) return undefined;
    try {
      record.hold = await allowances.reserve(record.key.payer, needed, stop.signal);
      record.hold.maxUnits = current.request.maxUnits;
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
  const neededForNamed = maxCostOfCandidates(
    current,
    others.filter(({ isNamed }) => isNamed),
  );
  if (neededForNamed === needed) throw refusal(candidates, needed, missing, ownCreditUrl);
  candidates.keepOthers((other) => costBoundOf(other) <= neededForNamed);
  const missingForNamed = await cover(neededForNamed);
  if (missingForNamed !== undefined) throw refusal(candidates, neededForNamed, missingForNamed, ownCreditUrl);
}

function maxCostOfCandidates(current: Candidate, others: readonly Candidate[]): bigint {
  let max = costBoundOf(current);
  for (const other of others) {
    const needed = costBoundOf(other);
    if (needed > max) max = needed;
  }
  return max;
}

/** Returns the maximum cost in nano-USD. */
function costBoundOf({ model: { price }, request: { maxUnits, otherModels } }: Candidate): bigint {
  if (price === undefined) return 0n;
  let needed = maxCostOf(maxUnits, price.of);
  // Web searches are charged to the request's own model only.
  for (const other of otherModels ?? []) {
    if (other.price === undefined) continue;
    needed += maxCostOf({ ...maxUnits, webSearchRequests: 0 }, other.price.of);
  }
  return needed;
}

function refusal(
  { current: { model, request }, others }: Candidates,
  neededNanoUsd: bigint,
  { availableNanoUsd, heldNanoUsd, resetsAt, uncollectedNanoUsd }: InsufficientBalance,
  creditUrl: string | undefined,
): GatewayError {
  const { choices, defaultOutput, maxUnits, otherModels = [], outputField } = request;
  // A fitting limit is only computed for a single model.
  const isAlone = others.length === 0 && otherModels.length === 0;
  const fitsMaxTokens =
    defaultOutput && isAlone && model.price !== undefined
      ? fittingMaxTokens(maxUnits, model.price.of, availableNanoUsd, choices)
      : undefined;
  return insufficientBalance({
    neededNanoUsd,
    availableNanoUsd,
    heldNanoUsd,
    resetsAt,
    uncollectedNanoUsd,
    fitsMaxTokens,
    outputField,
    creditUrl,
  });
}
