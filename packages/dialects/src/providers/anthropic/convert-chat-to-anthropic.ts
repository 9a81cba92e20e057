import type { Chat } from '../../interfaces/chat.ts';
import { given, isObject, type JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { objectAt } from '../../translation/field-values.ts';
import type { TranslatedRequest, Translation } from '../../translation/translation.ts';
import { DEFAULT_OUTPUT_TOKENS } from '../../usage/default-output.ts';
import { readMaxTokens, readStops } from '../shared/read-chat-limits.ts';
import { NO_TIERS, serviceTierFor, type TierWords } from '../shared/service-tier-for.ts';
import { ANTHROPIC_FIELDS } from './anthropic-fields.ts';
import { anthropicModelTraits } from './anthropic-model-traits.ts';
import { anthropicSampling } from './anthropic-sampling.ts';
import { anthropicSchema } from './anthropic-schema.ts';
import { anthropicThinking } from './anthropic-thinking.ts';
import { convertChatMessagesToAnthropic, simplest, type Turn } from './convert-chat-messages-to-anthropic.ts';
import { cached, textBlocks } from './convert-content-to-anthropic.ts';
import { convertToolsToAnthropic } from './convert-tools-to-anthropic.ts';

/** Claude has no format for JSON without a schema. */
export const JSON_ONLY =
  'Respond with one JSON object and nothing else: no text around it, and no code fence.';

/** Differences between Anthropic's own API and other platforms that serve its models. */
export interface AnthropicPlatform {
  /** True for Anthropic's own API, which has features that Bedrock and Vertex AI lack. */
  isOwnApi: boolean;
  tiers: TierWords;
}

/**
 * Anthropic gives a request its priority tier if the organization has capacity there. Source: "Service tiers"
 * in Anthropic's documentation.
 */
export const OWN_API: AnthropicPlatform = {
  isOwnApi: true,
  tiers: new Map([
    ['default', 'standard_only'],
    ['priority', 'auto'],
  ]),
};
const OTHER_PLATFORM: AnthropicPlatform = { isOwnApi: false, tiers: NO_TIERS };

/**
 * Returns the request without `model`.
 * @throws GatewayError 400 for a field that Messages cannot express
 */
export function convertChatToAnthropic(
  chatRequest: JsonObject,
  { id, maxOutputTokens }: Chat['model'],
  upstreamModel: string,
  { isOwnApi, tiers }: AnthropicPlatform = OTHER_PLATFORM,
): TranslatedRequest {
  const reader = new FieldReader(id, ANTHROPIC_FIELDS);
  const request = reader.members(chatRequest, '');
  if (request.stream_options !== undefined) reader.members(request.stream_options, 'stream_options');
  const traits = anthropicModelTraits(upstreamModel);
  const maxTokens = readMaxTokens(request, maxOutputTokens) ?? maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const systemTurns = isOwnApi && traits.systemTurns;
  const { system, turns } = convertChatMessagesToAnthropic(request.messages, reader, { systemTurns });
  const { areForced, choice, tools } = convertToolsToAnthropic(request, traits, reader);
  const { effort, thinking } = anthropicThinking({
    request,
    maxTokens,
    turns,
    toolsAreForced: areForced,
    traits,
    reader,
  });
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const { format, instruction } = outputFormat(request.response_format, reader);
  if (instruction !== undefined) system.push(...textBlocks(instruction));
  const output = {
    ...(effort === undefined ? {} : { effort }),
    ...(format === undefined ? {} : { format }),
  };
  if (request.prompt_cache_key !== undefined && !hasCacheMark([request, system, turns, tools]))
    markEnd(turns);
  const stop = stopSequences(request.stop, reader);
  const translated = {
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system: simplest(system) }),
    messages: turns.map(({ role, content }) => ({ role, content: simplest(content) })),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...anthropicSampling(request, { isThinking, traits }, reader),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...given('service_tier', serviceTierFor(request.service_tier, tiers, reader)),
    ...cached(request.cache_control),
    ...(request.stream === true ? { stream: true } : {}),
  };
  return { request: translated, ignored: reader.ignored };
}

/** Ignores texts without a visible character, which Anthropic refuses. */
export function stopSequences(stop: unknown, reader: FieldReader): string[] {
  const texts = readStops(stop);
  const visible = texts.filter((text) => text.trim() !== '');
  if (visible.length < texts.length) reader.ignore('stop');
  return visible;
}

/** Returns true if any block or tool has a cache mark of the caller's. */
function hasCacheMark(parts: readonly unknown[]): boolean {
  return parts.some((part) => {
    if (Array.isArray(part)) return hasCacheMark(part);
    return isObject(part) && (part.cache_control !== undefined || hasCacheMark([part.content]));
  });
}

/** Caches the conversation up to its end. Callers with a cache key expect that, as at OpenAI. */
function markEnd(turns: readonly Turn[]): void {
  const blocks = turns.at(-1)?.content ?? [];
  const last = blocks.at(-1);
  if (last !== undefined) blocks[blocks.length - 1] = { ...last, ...cached({ type: 'ephemeral' }) };
}

/** Returns the format, or an instruction in its place. */
function outputFormat(asked: unknown, reader: FieldReader): { format?: JsonObject; instruction?: string } {
  if (asked === undefined) return {};
  const { json_schema, type } = reader.members(asked, 'response_format');
  if (type === 'text') return {};
  if (type === 'json_schema') {
    const at = 'response_format.json_schema';
    const schema = objectAt(reader.members(json_schema, at).schema, `${at}.schema`);
    return { format: { type: 'json_schema', schema: anthropicSchema(schema, `${at}.schema`, reader) } };
  }
  if (type !== 'json_object') throw reader.refusal('response_format.type', 'takes no such format');
  return { instruction: JSON_ONLY };
}

export const CHAT_TO_ANTHROPIC: Translation = {
  name: 'messages from completions',
  takesMediaInResults: true,
  apply: (request, model) => convertChatToAnthropic(request, model, model.upstreamModel, OWN_API),
};
