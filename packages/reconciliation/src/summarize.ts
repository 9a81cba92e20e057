import type { Difference, Report, ReportRow } from './report.ts';

/** A difference is accepted if it is within one of the two. */
export interface Tolerance {
  /** Thousandths of a percent of what the provider bills. */
  milliPercent: bigint;
  nanoUsd: bigint;
}

export interface Summary {
  /** Nano-USD; null: the bill has no money. `byCause`: differences of all causes, each without its sign. */
  money: Record<'provider' | 'gateway' | 'difference' | 'byCause' | 'unexplained', bigint> | null;
  /** True: a difference exceeds the tolerance. */
  isExceeded: boolean;
}

const WHOLE = 100_000n;

/**
 * Judges a report: by the differences of all causes together, which may not cancel each other out, and so by
 * the whole difference and by what is unexplained, too; of a bill without money, by each unit.
 */
export function summarize({ rows }: Report, { milliPercent, nanoUsd }: Tolerance): Summary {
  const isTolerated = (size: bigint, provider: bigint, absolute: bigint) =>
    size <= absolute || size * WHOLE <= abs(provider) * milliPercent;
  const money = rows.filter(({ measure }) => measure === 'usd');
  if (money.length === 0) {
    const measures = new Set(rows.map(({ measure }) => measure));
    const isExceeded = [...measures].some((measure) => {
      const { byCause, provider } = sumsOf(rows.filter((row) => row.measure === measure));
      return !isTolerated(byCause, provider, 0n);
    });
    return { money: null, isExceeded };
  }
  const sums = sumsOf(money);
  return { money: sums, isExceeded: !isTolerated(sums.byCause, sums.provider, nanoUsd) };
}

function sumsOf(rows: readonly ReportRow[]): NonNullable<Summary['money']> {
  const sums = { provider: 0n, gateway: 0n, difference: 0n, byCause: 0n, unexplained: 0n };
  const causes = new Map<Difference, bigint>();
  for (const { explanations, gateway, provider } of rows) {
    sums.provider += provider;
    sums.gateway += gateway;
    sums.difference += provider - gateway;
    // Differences of several rows must not cancel each other out.
    for (const { amount, difference } of explanations)
      if (difference === 'unexplained') sums.unexplained += abs(amount);
      else causes.set(difference, (causes.get(difference) ?? 0n) + amount);
  }
  sums.byCause = [...causes.values()].reduce((sum, amount) => sum + abs(amount), sums.unexplained);
  return sums;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
