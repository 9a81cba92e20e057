import {
  costOf,
  NO_UNIT_SUMS,
  type Price,
  perUnit,
  priceAtTier,
  type Unit,
  type UnitSums,
  type Units,
  unpricedColumns,
} from '@model-gateway/shared';
import type { AttemptedRow, ReconciledAttempt } from './provider-attempt-store.ts';

type Row = Omit<AttemptedRow, 'attempts'> & { attempts: readonly ReconciledAttempt[] };

/** The values of `ending` in ProviderAttempt of the proto. */
type Ending = 'completed' | 'aborted' | 'estimated' | 'crashed' | 'timed_out' | 'retried';

/** A recorded attempt, or the part of one model if several models answered. Money is nano-USD. */
export interface RecordedAttempt {
  requestId: string;
  providerRequestId: string | undefined;
  startedAtMs: number;
  endedAtMs: number;
  requestEndedAtMs: number;
  modelId: string;
  credentialEnv: string | undefined;
  serviceTier: string | null;
  ending: Ending;
  units: UnitSums;
  cost: bigint;
  minCost: bigint;
  maxCost: bigint;
  maxOutputTokens: bigint;
  unpriced: string[];
}

interface Used {
  modelId: string;
  units: UnitSums;
  cost: bigint;
  unpriced: string[];
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  completed: 'completed',
  aborted_partial: 'aborted',
  estimated: 'estimated',
};
const OUTPUT: readonly Unit[] = ['outputTokens', 'reasoningTokens', 'audioOutputTokens', 'imageOutputTokens'];
const MANY_TOKENS = 1_000_000;

/**
 * Returns the attempts of a request at one provider. The request was charged for the last one.
 * @param base the provider's price of the request's model at its default tier; undefined: free
 */
export function readAttempts(row: Row, providerId: string, base: Price | undefined): RecordedAttempt[] {
  const price = base && priceAtTier(base, row.serviceTier ?? undefined);
  const requestEndedAtMs = row.endedAt.getTime();
  return row.attempts.flatMap((attempt, index) => {
    if (attempt.providerId !== providerId) return [];
    const endedAtMs = attempt.endedAtMs ?? requestEndedAtMs;
    const head = {
      requestId: row.requestId,
      providerRequestId: attempt.providerRequestId,
      startedAtMs: endedAtMs - attempt.durationMs,
      endedAtMs,
      requestEndedAtMs,
      credentialEnv: attempt.credentialEnv,
      serviceTier: row.serviceTier,
    };
    const isUsed = index === row.attempts.length - 1 && row.usageSource !== null;
    if (!isUsed) return [{ ...head, ...unusedAttempt(row, attempt, price) }];
    const ending = row.isProvisional ? 'crashed' : (ENDINGS[row.billingReason] ?? 'estimated');
    return usedParts(row, base).map((used) => ({
      ...head,
      ...used,
      ending,
      ...(ending === 'completed' ? exactly(used) : boundsOf(row, used, price)),
    }));
  });
}

/**
 * Returns what the provider may bill for an attempt whose response was not used. Most of them cost nothing.
 * @param price of the request's model
 */
function unusedAttempt(
  row: Row,
  { errorCode, estimatedCost, estimatedUnits, modelId }: ReconciledAttempt,
  price: Price | undefined,
): Pick<
  RecordedAttempt,
  'modelId' | 'ending' | 'units' | 'cost' | 'minCost' | 'maxCost' | 'maxOutputTokens' | 'unpriced'
> {
  const cost = BigInt(estimatedCost ?? 0);
  const units = estimatedUnits === undefined ? NO_UNIT_SUMS : sumsOf(estimatedUnits);
  const isLeft = errorCode === null && row.billingReason === 'aborted_partial';
  const ending = errorCode?.includes('timeout') ? 'timed_out' : isLeft ? 'aborted' : 'retried';
  const used = { modelId: modelId ?? row.modelId, units, cost, unpriced: [] };
  if (cost === 0n) return { ...used, ending, ...exactly(used) };
  // The price of another model is not known here, only the reserved money.
  const bounds = boundsOf(row, used, modelId === undefined ? price : undefined);
  return { ...used, ending, ...bounds, minCost: 0n };
}

/**
 * Returns the usage of each model. Their costs add up to the cost of the request.
 * @param base as in `readAttempts`
 */
function usedParts(row: Row, base: Price | undefined): Used[] {
  const { modelId, parts, providerCost } = row;
  if (parts === null || parts.length === 0) {
    const units = perUnit('unit', ({ unit }) => row[unit]);
    const unpriced =
      base === undefined ? [] : unpricedColumns(numbersOf(units), base, row.serviceTier ?? undefined);
    return [{ modelId, units, cost: providerCost, unpriced }];
  }
  // Each part is rounded up by itself, and the request once.
  let left = providerCost;
  return parts.map((part, index) => {
    const cost = index === parts.length - 1 || BigInt(part.cost) > left ? left : BigInt(part.cost);
    left -= cost;
    return { modelId: part.modelId, units: sumsOf(part.units), cost, unpriced: part.unpriced };
  });
}

/** Returns bounds that allow no other amount. */
function exactly({ cost, units }: Used) {
  return { minCost: cost, maxCost: cost, maxOutputTokens: units.outputTokens };
}

/**
 * Returns the bounds of what the provider bills for an unfinished response: its prompt, if the provider has
 * counted it, and all that money was reserved for.
 */
function boundsOf(row: Row, { cost, units }: Used, price: Price | undefined) {
  const maxCost = max(cost, reservedCost(row));
  if (price === undefined) return { minCost: 0n, maxCost, maxOutputTokens: units.outputTokens };
  const counts = numbersOf(units);
  const more = { ...counts, outputTokens: counts.outputTokens + MANY_TOKENS };
  const perMany = costOf(more, price) - costOf(counts, price);
  const further = perMany <= 0n ? 0n : ((maxCost - cost) * BigInt(MANY_TOKENS)) / perMany;
  const prompt = perUnit('unit', ({ unit }) => (OUTPUT.includes(unit) ? 0 : counts[unit]));
  return {
    minCost: row.usageSource === 'provider' ? min(cost, costOf(prompt, price)) : 0n,
    maxCost,
    maxOutputTokens: units.outputTokens + further,
  };
}

/** Converts the reserved money, which is at the selling price, to the provider's price. */
function reservedCost({ cost, held, providerCost }: Row): bigint {
  return cost === 0n || providerCost <= cost ? held : (held * providerCost) / cost + 1n;
}

function sumsOf(units: Units): UnitSums {
  return perUnit('unit', ({ unit }) => BigInt(units[unit]));
}

function numbersOf(units: UnitSums): Units {
  return perUnit('unit', ({ unit }) => Number(units[unit]));
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
