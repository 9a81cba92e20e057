import { formatUsd } from '@model-gateway/shared';
import { shortenUsd } from './usd.ts';

export interface MoneyJson {
  /** Charged by providers. */
  cost_usd: string;
  /** Charged to payers. */
  charged_usd: string;
  margin_usd: string;
}

/** Converts nano-USD. @param providerCost undefined: from an older control plane, which charges at cost */
export function moneyJson(charged: string, providerCost = charged): MoneyJson {
  const [sold, paid] = [BigInt(charged), BigInt(providerCost)];
  return { cost_usd: formatUsd(paid), charged_usd: formatUsd(sold), margin_usd: formatUsd(sold - paid) };
}

export const MONEY_HEADER = ['COST USD', 'CHARGED USD', 'MARGIN USD'];

export function moneyCells({ charged_usd, cost_usd, margin_usd }: MoneyJson): string[] {
  return [cost_usd, charged_usd, margin_usd].map(shortenUsd);
}
