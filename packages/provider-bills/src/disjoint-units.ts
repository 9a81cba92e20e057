import { PARTS, UNITS, type Unit } from '@model-gateway/shared';

/** Parts that providers bill within the unit that includes them. */
const BILLED_AS_WHOLE: readonly Unit[] = ['reasoningTokens'];

export type UnitCounts = Partial<Record<Unit, bigint>>;

/**
 * Converts the gateway's counts, in which a unit includes its parts, to counts of bills, in which each token
 * is in one unit: input without cached tokens, output with reasoning.
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
