import type { Report, ReportRow } from './report.ts';

/** A difference is accepted if it is within one of the two. */
export interface Tolerance {
  /** Thousandths of a percent of what the provider bills. */
  milliPercent: bigint;
  nanoUsd: bigint;
}

export interface Summary {
  /** Nano-USD; null: the bill has no money. */
  money: { provider: bigint; gateway: bigint; difference: bigint; unexplained: bigint } | null;
  /** True: a difference exceeds the tolerance. */
  isExceeded: boolean;
}

const WHOLE = 100_000n;

/**
 * Judges a report: by the difference in money, and by all that is unexplained in any row; of a bill without
 * money, by each unit.
 */
export function summarize({ rows }: Report, { milliPercent, nanoUsd }: Tolerance): Summary {
  const isTolerated = (difference: bigint, provider: bigint, absolute: bigint) => {
    const size = abs(difference);
    return size <= absolute || size * WHOLE <= abs(provider) * milliPercent;
  };
  const money = rows.filter(({ measure }) => measure === 'usd');
  if (money.length === 0) {
    const measures = new Set(rows.map(({ measure }) => measure));
    const isExceeded = [...measures].some((measure) => {
      const { difference, provider, unexplained } = sumsOf(rows.filter((row) => row.measure === measure));
      return !isTolerated(difference, provider, 0n) || !isTolerated(unexplained, provider, 0n);
    });
    return { money: null, isExceeded };
  }
  const sums = sumsOf(money);
  const isExceeded =
    !isTolerated(sums.difference, sums.provider, nanoUsd) ||
    !isTolerated(sums.unexplained, sums.provider, nanoUsd);
  return { money: sums, isExceeded };
}

function sumsOf(rows: readonly ReportRow[]): NonNullable<Summary['money']> {
  const sums = { provider: 0n, gateway: 0n, difference: 0n, unexplained: 0n };
  for (const { explanations, gateway, provider } of rows) {
    sums.provider += provider;
    sums.gateway += gateway;
    sums.difference += provider - gateway;
    // Differences of several rows must not cancel each other out.
    for (const { amount, difference } of explanations)
      if (difference === 'unexplained') sums.unexplained += abs(amount);
  }
  return sums;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
