import type { Cause, Report, ReportRow } from './report.ts';

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
  /** Nano-USD; null: the bill has no money. `byCause`: differences of all causes, each without its sign. */
  money: Record<'provider' | 'gateway' | 'difference' | 'byCause' | 'unexplained', bigint> | null;
  /** True: a difference exceeds the tolerance. */
  isExceeded: boolean;
}

const HUNDRED_PERCENT = 100_000n;

/**
 * Judges a report: by the differences of all causes together, which may not cancel each other out, and so by
 * the whole difference and by what is unexplained, too; of a bill without money, by each unit.
 */
export function summarize({ rows }: Report, { milliPercent, nanoUsd }: Tolerance): Summary {
  const isTolerated = (size: bigint, provider: bigint, absolute: bigint) =>
    size <= absolute || size * HUNDRED_PERCENT <= abs(provider) * milliPercent;
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
  const causes = new Map<Cause, bigint>();
  for (const { explanations, gateway, provider } of rows) {
    sums.provider += provider;
    sums.gateway += gateway;
    sums.difference += provider - gateway;
    // Differences of several rows must not cancel each other out.
    for (const { amount, cause } of explanations)
      if (cause === 'unexplained') sums.unexplained += abs(amount);
      else causes.set(cause, (causes.get(cause) ?? 0n) + amount);
  }
  sums.byCause = [...causes.values()].reduce((sum, amount) => sum + abs(amount), sums.unexplained);
  return sums;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
