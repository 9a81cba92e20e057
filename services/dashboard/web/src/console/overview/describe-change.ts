export interface Change {
  /** Such as `+12% against last week`. */
  text: string;
  /** Undefined: neither good nor bad. */
  isGood?: boolean;
}

/** Smaller changes mean nothing. */
const NOTABLE = 0.005;

/**
 * Compares a figure with that of a week before.
 * @param before null or undefined: not known
 * @param better the direction that is good; left out: neither
 */
export function describeChange(
  now: number | null | undefined,
  before: number | null | undefined,
  better?: 'more' | 'less',
): Change | undefined {
  if (now == null || before == null) return undefined;
  if (before === 0) return now === 0 ? { text: 'none last week either' } : { text: 'none last week' };
  const change = now / before - 1;
  if (Math.abs(change) < NOTABLE) return { text: 'as last week' };
  const text = `${change > 0 ? '+' : '−'}${amountOf(Math.abs(change))} against last week`;
  return better === undefined ? { text } : { text, isGood: change > 0 === (better === 'more') };
}

function amountOf(change: number): string {
  return change >= 10 ? `${Math.round(change)}×` : `${Math.round(change * 100)}%`;
}
