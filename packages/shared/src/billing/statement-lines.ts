import { formatUsd } from './money.ts';

/** Amounts are US dollars with nine decimals. */
export interface StatementBalance {
  /** False: the month has not ended, and the closing balance is the balance now. */
  isComplete: boolean;
  openingUsd: string;
  /** The account had an unlimited pool, too. */
  openingUnlimited: boolean;
  credits: readonly { name: string; amountUsd: string }[];
  lapsedUsd: string;
  spentUsd: string;
  /** The part of it that unlimited pools paid. */
  spentUnlimitedUsd: string;
  closingUsd: string;
  closingUnlimited: boolean;
}

export interface BalanceLine {
  section: 'opening' | 'credit' | 'lapsed' | 'spent' | 'spent_unlimited' | 'closing';
  name: string;
  /** Negative: leaves the account. Null: unlimited. */
  usd: string | null;
}

/** Names of the ledger's kinds. */
const CREDIT_NAMES: Record<string, string> = {
  included: 'Credit added',
  reset: 'Monthly budget renewed',
  changed: 'Credit changed by the operator',
  moved: 'Credit moved',
  removed: 'Credit removed by the operator',
};

/** The name of the line that makes the sums of models and of keys equal what was spent. */
export const OTHER_MONTH = 'Requests at a turn of the month, charged in the next one';

/**
 * Lists the lines of a balance, from the opening to the closing one. They add up, except `spent_unlimited`,
 * which follows the closing balance.
 */
export function balanceLines(statement: StatementBalance): BalanceLine[] {
  const { openingUsd, openingUnlimited, credits, lapsedUsd, spentUsd, spentUnlimitedUsd } = statement;
  const { closingUsd, closingUnlimited, isComplete } = statement;
  const opening = balanceOf('Opening balance', openingUsd, openingUnlimited);
  const closing = balanceOf(isComplete ? 'Closing balance' : 'Balance now', closingUsd, closingUnlimited);
  const spent = subtract(spentUsd, spentUnlimitedUsd);
  const isSpentUnlimited = !isZero(spentUnlimitedUsd);
  return [
    { section: 'opening', ...opening },
    ...credits.map(({ name, amountUsd }): BalanceLine => ({ section: 'credit', name, usd: amountUsd })),
    ...line('lapsed', 'Credit lapsed', lapsedUsd, !isZero(lapsedUsd)),
    ...line('spent', 'Spent', spent, !isSpentUnlimited || !isZero(spent)),
    { section: 'closing', ...closing },
    ...line('spent_unlimited', 'Spent from unlimited pools', spentUnlimitedUsd, isSpentUnlimited),
  ];
}

/** Returns the name of a sum of the ledger, by its kind. */
export function creditName(kind: string): string {
  return CREDIT_NAMES[kind] ?? kind;
}

/** @param month in UTC, such as 2026-11 @param now in milliseconds */
export function isMonthEnded(month: string, now: number): boolean {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number) <= now;
}

export function isZero(usd: string): boolean {
  return !/[1-9]/.test(usd);
}

function line(section: BalanceLine['section'], name: string, usd: string, isShown: boolean): BalanceLine[] {
  return isShown ? [{ section, name, usd: negate(usd) }] : [];
}

function balanceOf(name: string, limitedUsd: string, isUnlimited: boolean) {
  if (!isUnlimited) return { name, usd: limitedUsd };
  if (isZero(limitedUsd)) return { name, usd: null };
  return { name: `${name}, besides unlimited pools`, usd: limitedUsd };
}

function negate(usd: string): string {
  if (isZero(usd)) return usd;
  return usd.startsWith('-') ? usd.slice(1) : `-${usd}`;
}

/** Subtracts amounts with nine decimals. */
function subtract(usd: string, less: string): string {
  return formatUsd(BigInt(usd.replace('.', '')) - BigInt(less.replace('.', '')));
}
