import type { Chat } from '../../interfaces/chat.ts';
import type { TierWords } from '../shared/service-tier-for.ts';

/** Source: `ServiceTier` in the reference of Bedrock's API. The default tier needs no word. */
export const BEDROCK_TIERS: TierWords = new Map([
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['reserved', 'reserved'],
]);

/** The header of InvokeModel for the service tier, in requests and responses. */
export const TIER_HEADER = 'x-amzn-bedrock-service-tier';

export function bedrockTierHeaders({ body }: Chat): { headers?: Record<string, string> } {
  const word = BEDROCK_TIERS.get(body.value.serviceTier ?? '');
  return word === undefined ? {} : { headers: { [TIER_HEADER]: word } };
}
