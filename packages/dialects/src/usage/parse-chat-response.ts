import { parseEventJson } from '../failures/parse-event-json.ts';
import { rateLimitedInStream, unexpectedJson } from '../failures/provider-failures.ts';
import { isObject } from '../json/json-object.ts';

/** A completion, or a chunk of one. Lists the members that the gateway reads; others pass through. */
export interface ChatResponse {
  choices: Record<string, unknown>[];
  usage?: unknown;
  [field: string]: unknown;
}

/**
 * @throws GatewayError 502 for anything but a completion or a chunk; 429 for a rate limit error in its place
 */
function checkChatResponse(value: unknown): ChatResponse {
  if (isChatResponse(value)) return value;
  if (LIMITED.has(failureCodeIn(value))) throw rateLimitedInStream('the provider sent the error of a limit');
  throw unexpectedJson(new Error('it is no chat completion'));
}

/** Checks a response that is not streamed, which needs a choice. @throws GatewayError 502, 429 */
export function parseChatResponse(value: unknown): ChatResponse {
  const completion = checkChatResponse(value);
  if (completion.choices.length > 0) return completion;
  throw unexpectedJson(new Error('it has no choices'));
}

/** Parses the data of one event. @throws GatewayError 502, 429 */
export function parseChatChunk(data: string): ChatResponse {
  const chunk = checkChatResponse(parseEventJson(data));
  // Moonshot has the usage of a stream in its choice.
  const usage = chunk.choices[0]?.usage;
  return isObject(usage) && !chunk.usage ? { ...chunk, usage } : chunk;
}

/** Error codes of a rate limit inside a response: OpenAI's, and those of routers in front of providers. */
const LIMITED: ReadonlySet<unknown> = new Set(['rate_limit_exceeded', '429', 429]);

function failureCodeIn(value: unknown): unknown {
  return isObject(value) && isObject(value.error) ? value.error.code : undefined;
}

/** Checked by hand: this runs for every chunk of every stream, and must keep the order of the fields. */
function isChatResponse(value: unknown): value is ChatResponse {
  return (
    typeof value === 'object' &&
    value !== null &&
    'choices' in value &&
    Array.isArray(value.choices) &&
    // Some providers send a failure with status 200.
    !('error' in value && typeof value.error === 'object' && value.error !== null) &&
    value.choices.every(isObject)
  );
}
