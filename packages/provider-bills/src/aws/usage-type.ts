import type { BillUnit } from '../bill-line.ts';

export interface BedrockUsage {
  /** The billing name of the model; null if the usage type has none. */
  model: string | null;
  unit: BillUnit | null;
  serviceTier: string | null;
}

/** `USE1-Claude4Sonnet-cache-read-input-token-count-flex-cross-region-global` */
const TOKENS =
  /^(?:[A-Z]{2,4}\d?-)?(?:MP:[^_]+_)?(?<model>.+?)-(?:mantle-)?(?<kind>cache-read-input|cache-write-1h-input|cache-write-input|input|output)-(?:tokens|token-count)(?<rest>(?:-.*)?)$/;
/** `USE1-MP:USE1_CacheReadInputTokenCount-Units`, of models that are sold in the AWS Marketplace. */
const MARKETPLACE =
  /MP:(?:[A-Za-z0-9]+_)?(?<kind>CacheReadInput|CacheWrite1hInput|CacheWriteInput|Input|Output)TokenCount(?<rest>.*)$/;
const TIER = /[-_](batch|flex|priority|standard|reserved)(?=[-_]|$)/i;

const UNITS: Readonly<Record<string, BillUnit>> = {
  input: 'inputTokens',
  'cache-read-input': 'cachedInputTokens',
  'cache-write-input': 'cacheWriteTokens',
  'cache-write-1h-input': 'cacheWrite1hTokens',
  output: 'outputTokens',
  Input: 'inputTokens',
  CacheReadInput: 'cachedInputTokens',
  CacheWriteInput: 'cacheWriteTokens',
  CacheWrite1hInput: 'cacheWrite1hTokens',
  Output: 'outputTokens',
};

/** Reads the model, the unit and the tier from a usage type of Amazon Bedrock. */
export function parseUsageType(usageType: string): BedrockUsage {
  const {
    kind = '',
    model = null,
    rest = '',
  } = (TOKENS.exec(usageType) ?? MARKETPLACE.exec(usageType))?.groups ?? {};
  return { model, unit: UNITS[kind] ?? null, serviceTier: TIER.exec(rest)?.[1]?.toLowerCase() ?? null };
}
