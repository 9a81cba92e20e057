import { parseUsd } from '@model-gateway/shared';
import { InvalidArgumentError } from 'commander';

/** Checks an amount, which goes to the control plane unchanged. @throws InvalidArgumentError */
export function parseUsdOption(text: string): string {
  if (parseUsd(text)) return text;
  throw new InvalidArgumentError('It must be US dollars above 0 such as 5.00, with at most nine decimals.');
}
