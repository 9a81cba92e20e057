import type { Report, ReportRow } from './report.ts';

/** The accepted difference: the larger of the two. */
export interface Tolerance {
  /** In thousandths of a percent of the billed amount. */
  milliPercent: bigint;
  nanoUsd: bigint;
}

const PERCENT = /^(\d{1,3})(?:\.(\d{1,3}))?$/;
/** Default of `Tolerance.milliPercent`: 0.5 %. */
export const DEFAULT_MILLI_PERCENT = 500n;

/** Parses a percentage such as "0.5". @returns thousandths of a percent; undefined for any other text */
export function parseMilliPercent(text: string): bigint | undefined {
  const [, whole, decimals = ''] = PERCENT.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(3, '0'));
}

export interface Summary {
  /** Nano-USD; null: the bill has no money. */
  money: { provider: bigint; gateway: bigint; difference: bigint; unexplained: bigint } | null;
  /** True: the difference, or what is unexplained of it, exceeds the tolerance. */
  isExceeded: boolean;
}

const HUNDRED_PERCENT = 100_000n;

/**
 * Compares the difference in money, and the sum of what is unexplained in any row, with the tolerance. If the
 * bill has no money, it compares each unit instead.
 */
export function summarize({ rows }: Report, { milliPercent, nanoUsd }: Tolerance): Summary {
  const isTolerated = (difference: bigint, provider: bigint, absolute: bigint) => {
    const size = abs(difference);
    return size <= absolute || size * HUNDRED_PERCENT <= abs(provider) * milliPercent;
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
    // Unexplained amounts of two rows must not cancel each other out.
    for (const { amount, cause } of explanations)
      if (cause === 'unexplained') sums.unexplained += abs(amount);
  }
  return sums;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
