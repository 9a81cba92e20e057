import { type GatewayError, maxCostOf } from '@model-gateway/shared';
import { insufficientBalance, tooManyToSettle } from '@model-gateway/shared/errors';
import type { Allowances } from '../billing/allowances.ts';
import { InsufficientBalance } from '../billing/balance-refusals.ts';
import { fittingMaxTokens } from '../billing/fitting-max-tokens.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { Candidate, Candidates } from '../upstream/candidates.ts';

export interface ReserveContext {
  allowances: Pick<Allowances, 'reserve'>;
  settlement: Pick<SettlementStream, 'hasRoom' | 'isFull'>;
}

/**
 * Sets aside the most that a request can cost: that of the dearest model that may answer it. Where the pools
 * do not cover a fallback of the catalog that is dearer than what the caller has asked for, that is left out.
 * Sets `record.hold`.
 * @throws GatewayError 402 when the pools cannot cover it; 503 while that cannot be found out, or too many
 *   ended requests wait for the control plane
 */
export async function reserveBalance(
  { allowances, settlement }: ReserveContext,
  { record, stop }: AuthenticatedExchange,
  candidates: Candidates,
): Promise<void> {
  const { current, others } = candidates;
  if (current.model.price === undefined && others.every(({ model }) => model.price === undefined)) return;
  // Asked without a promise first: one for each request would cost more than the question.
  if (settlement.isFull && !(await settlement.hasRoom())) throw tooManyToSettle();
  const cover = async (needed: bigint): Promise<InsufficientBalance | undefined> => {
    if (needed === 0n) return undefined;
    try {
      record.hold = await allowances.reserve(record.key.payer, needed, stop.signal);
      return undefined;
    } catch (failure) {
      if (failure instanceof InsufficientBalance) return failure;
      throw failure;
    }
  };
  const needed = dearest(current, others);
  const missing = await cover(needed);
  if (missing === undefined) return;
  const neededForNamed = dearest(
    current,
    others.filter(({ isNamed }) => isNamed),
  );
  if (neededForNamed === needed) throw refusal(candidates, needed, missing);
  candidates.keepOthers((other) => neededFor(other) <= neededForNamed);
  const stillMissing = await cover(neededForNamed);
  if (stillMissing !== undefined) throw refusal(candidates, neededForNamed, stillMissing);
}

function dearest(current: Candidate, others: readonly Candidate[]): bigint {
  let most = neededFor(current);
  for (const other of others) {
    const needed = neededFor(other);
    if (needed > most) most = needed;
  }
  return most;
}

/** In nano-USD. */
function neededFor({ model: { price }, request: { most, otherModels } }: Candidate): bigint {
  if (price === undefined) return 0n;
  let needed = maxCostOf(most, price.of);
  // The searches of the request are charged to its own model, whichever has made them.
  for (const other of otherModels ?? []) {
    if (other.price === undefined) continue;
    needed += maxCostOf({ ...most, webSearchRequests: 0 }, other.price.of);
  }
  return needed;
}

function refusal(
  { current: { model, request }, others }: Candidates,
  neededNanoUsd: bigint,
  { availableNanoUsd, heldNanoUsd, resetsAt }: InsufficientBalance,
): GatewayError {
  const { choices, defaultOutput, most, otherModels = [], outputField } = request;
  // The fitting limit is computed for one model only.
  const isAlone = others.length === 0 && otherModels.length === 0;
  const fitsMaxTokens =
    defaultOutput && isAlone && model.price !== undefined
      ? fittingMaxTokens(most, model.price.of, availableNanoUsd, choices)
      : undefined;
  return insufficientBalance({
    neededNanoUsd,
    availableNanoUsd,
    heldNanoUsd,
    resetsAt,
    fitsMaxTokens,
    outputField,
  });
}
