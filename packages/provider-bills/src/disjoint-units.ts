import { PARTS, UNITS, type Unit } from '@model-gateway/shared';

/** A part that providers bill as the whole that includes it. */
const BILLED_AS_WHOLE: readonly Unit[] = ['reasoningTokens'];

export type UnitCounts = Partial<Record<Unit, bigint>>;

/**
 * Converts the gateway's counts, in which a unit includes its parts, to those of bills, in which each token
 * is counted once: the input without what was cached, the output with its reasoning.
 */
export function disjointUnits(counts: UnitCounts): UnitCounts {
  const disjoint: UnitCounts = {};
  for (const { unit } of UNITS) {
    if (BILLED_AS_WHOLE.includes(unit)) continue;
    let count = counts[unit] ?? 0n;
    for (const { part, whole } of PARTS) {
      if (whole.unit === unit && !BILLED_AS_WHOLE.includes(part.unit)) count -= counts[part.unit] ?? 0n;
    }
    if (count !== 0n) disjoint[unit] = count;
  }
  return disjoint;
}
