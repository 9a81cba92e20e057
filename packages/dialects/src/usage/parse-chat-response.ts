import { parseEventJson } from '../failures/parse-event-json.ts';
import { rateLimitedInStream, unexpectedJson } from '../failures/provider-failures.ts';
import { isObject } from '../json/json-object.ts';

/** A provider's completion, or a chunk of one: what the gateway reads of it. All else passes as it came. */
export interface ChatResponse {
  choices: Record<string, unknown>[];
  usage?: unknown;
  [field: string]: unknown;
}

/**
 * @throws GatewayError 502 when the value is no chat completion, nor a chunk of one; 429 when the provider
 *   says in its place that it gets too many requests
 */
function chatAnswer(value: unknown): ChatResponse {
  if (isChatAnswer(value)) return value;
  if (LIMITED.has(failureCodeIn(value))) throw rateLimitedInStream('the provider sent the error of a limit');
  throw unexpectedJson(new Error('it is no chat completion'));
}

/** As `chatAnswer`, of an answer that is not streamed: without a choice it has answered nothing. */
export function parseChatResponse(value: unknown): ChatResponse {
  const completion = chatAnswer(value);
  if (completion.choices.length > 0) return completion;
  throw unexpectedJson(new Error('it has no choices'));
}

/** The data of one event. @throws GatewayError as `chatAnswer` */
export function parseChatChunk(data: string): ChatResponse {
  const chunk = chatAnswer(parseEventJson(data));
  // Moonshot has the usage of a stream in its choice.
  const usage = chunk.choices[0]?.usage;
  return isObject(usage) && !chunk.usage ? { ...chunk, usage } : chunk;
}

/** How OpenAI, and routers before other providers, say in an answer that has begun what else is a 429. */
const LIMITED: ReadonlySet<unknown> = new Set(['rate_limit_exceeded', '429', 429]);

function failureCodeIn(value: unknown): unknown {
  return isObject(value) && isObject(value.error) ? value.error.code : undefined;
}

/** Checked by hand: this runs for every chunk of every stream, and must keep the order of the fields. */
function isChatAnswer(value: unknown): value is ChatResponse {
  return (
    typeof value === 'object' &&
    value !== null &&
    'choices' in value &&
    Array.isArray(value.choices) &&
    // A failure that some providers send as a success.
    !('error' in value && typeof value.error === 'object' && value.error !== null) &&
    value.choices.every((choice) => typeof choice === 'object' && choice !== null)
  );
}
