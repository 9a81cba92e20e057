import { parseUsd } from '@model-gateway/shared/money';

/** Returns the problem with an amount to move, if any. */
export function amountProblem(text: string, remainingUsd: string): string | undefined {
  const amount = parseUsd(text.trim());
  if (amount === undefined) return 'Enter US dollars such as 5 or 12.50.';
  if (amount === 0n) return 'Enter more than 0.';
  const remaining = parseUsd(remainingUsd) ?? 0n;
  return amount > remaining
    ? `Only $${withoutTrailingZeros(remainingUsd)} can be moved: the rest is used, or reserved for ` +
        'requests right now.'
    : undefined;
}

/** Removes trailing zeros, but not those of cents: `3.50`, `0.000123`. */
function withoutTrailingZeros(usd: string): string {
  return usd.replace(/(\.\d{2}\d*?)0+$/, '$1');
}
