const nanosPerDollarDigits = 9;

/** What is wrong with an amount that is to be moved, as somebody has typed it; undefined: nothing. */
export function amountProblem(text: string, remainingUsd: string): string | undefined {
  const amount = nanosOf(text.trim());
  if (amount === undefined) {
    return 'Enter US dollars such as 5 or 12.50.';
  }
  if (amount === 0n) {
    return 'Enter more than 0.';
  }
  const remaining = nanosOf(remainingUsd) ?? 0n;
  return amount > remaining
    ? `There are only $${withoutTrailingZeros(remainingUsd)} left in this pool.`
    : undefined;
}

/** To the cent at least: $3.50, $0.000123. */
function withoutTrailingZeros(usd: string): string {
  return usd.replace(/(\.\d{2}\d*?)0+$/, '$1');
}

/** Decimal text as billionths of a dollar: exact, as a number would not be. */
function nanosOf(usd: string): bigint | undefined {
  const parts = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(usd);
  if (parts === null) {
    return undefined;
  }
  const [, whole = '0', fraction = ''] = parts;
  return BigInt(whole + fraction.padEnd(nanosPerDollarDigits, '0'));
}
