import { formatUsd } from '@model-gateway/shared/money';
import type { StatementResponse } from './statements.ts';

export interface BalanceLine {
  section: 'opening' | 'credit' | 'lapsed' | 'spent' | 'spent_unlimited' | 'closing';
  name: string;
  /** Negative: leaves the account. Null: unlimited. */
  usd: string | null;
}

/** The name of the line that makes the sums of models and of keys equal what was spent. */
export const OTHER_MONTH = 'Requests at a turn of the month, charged in the next one';

/**
 * Lists the lines of a balance, from the opening to the closing one. They add up, except `spent_unlimited`,
 * which follows the closing balance.
 */
export function balanceLines(statement: StatementResponse): BalanceLine[] {
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
