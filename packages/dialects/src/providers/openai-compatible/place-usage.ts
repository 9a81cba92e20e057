import type { ProviderTraits } from '@model-gateway/shared';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';

type UsagePlaces = Pick<ProviderTraits, 'cached_tokens_at' | 'usage_at'>;

const OPENAI_USAGE = 'usage';
const OPENAI_CACHED = 'prompt_tokens_details.cached_tokens';

/** Returns true if a server has its usage where OpenAI's API has it. */
export function hasOpenAiUsage({ cached_tokens_at, usage_at }: UsagePlaces): boolean {
  return usage_at === OPENAI_USAGE && cached_tokens_at === OPENAI_CACHED;
}

/** Returns a function that moves the usage of a response or chunk to where OpenAI's API has it. */
export function placeUsage(places: UsagePlaces): (response: ChatResponse) => ChatResponse {
  if (hasOpenAiUsage(places)) return (response) => response;
  const { cached_tokens_at: cachedAt, usage_at: usageAt } = places;
  const [usagePath, cachedPath] = [usageAt.split('.'), cachedAt.split('.')];
  return (response) => {
    const usage = valueAt(response, usagePath) ?? response.usage;
    if (!isObject(usage)) return response;
    return { ...response, usage: cachedAt === OPENAI_CACHED ? usage : withCached(usage, cachedPath) };
  };
}

function withCached(usage: JsonObject, path: readonly string[]): JsonObject {
  const cached = valueAt(usage, path);
  if (typeof cached !== 'number') return usage;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return { ...usage, prompt_tokens_details: { ...details, cached_tokens: cached } };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => {
    if (Array.isArray(found)) return found[Number(name)];
    return isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, value);
}
