import { isObject, type JsonObject } from '../../json/json-object.ts';

/** Neither API counts cached tokens as input. */
export function convertConverseUsage(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { cacheDetails, cacheReadInputTokens, cacheWriteInputTokens, inputTokens, outputTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadInputTokens ?? 0,
    cache_creation_input_tokens: cacheWriteInputTokens ?? 0,
    cache_creation: {
      ephemeral_5m_input_tokens: writtenFor('5m', cacheDetails),
      ephemeral_1h_input_tokens: writtenFor('1h', cacheDetails),
    },
  };
}

/** Returns the word in `serviceTier` of a response or its last event. */
export function converseTier(serviceTier: unknown): unknown {
  return isObject(serviceTier) ? serviceTier.type : undefined;
}

function writtenFor(ttl: string, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details
    .filter(isObject)
    .filter((detail) => detail.ttl === ttl && typeof detail.inputTokens === 'number')
    .reduce((sum, { inputTokens }) => sum + Number(inputTokens), 0);
}
