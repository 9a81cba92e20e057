import type { GatewayError } from '@model-gateway/shared';
import { asProviderSaid, badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream } from '../../failures/provider-failures.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/json-object.ts';

/** An event of Messages: what the gateway reads of it. */
export interface AnthropicEvent extends JsonObject {
  type: string;
}

/**
 * @param isOwnApi true if the caller knows errors of this API: what the provider says of a failure goes to it
 * @throws GatewayError 502 when the data is no event of Messages, or says that the provider has failed; 429
 *   when it says that it gets too many requests
 */
export function parseAnthropicEvent(data: string, isOwnApi = false): AnthropicEvent {
  const event = parsed(data);
  if (event.type !== 'error') return event;
  const type = typeOf(event.error);
  const failure = failureOf(type);
  throw isOwnApi ? asProviderSaid(failure, { status: STATUS[type] ?? BAD_GATEWAY, body: data }) : failure;
}

function parsed(data: string): AnthropicEvent {
  const value = parseEventJson(data, parseExactJson);
  if (isMessageEvent(value)) return value;
  throw causedByRequest('the provider sent an event that is none of Messages');
}

function isMessageEvent(value: unknown): value is AnthropicEvent {
  return isObject(value) && typeof value.type === 'string';
}

/** The statuses of Anthropic's errors by their type. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};
const BAD_GATEWAY = 502;
const OF_THE_REQUEST = new Set(['invalid_request_error', 'request_too_large']);
const LIMITED = 'rate_limit_error';

/** Begun answers that break off are a fault of the provider, unless it finds fault with the request. */
function failureOf(type: string): GatewayError {
  const said = `the provider sent an error event: ${type.slice(0, 100)}`;
  if (type === LIMITED) return rateLimitedInStream(said);
  return OF_THE_REQUEST.has(type) ? causedByRequest(said) : badGateway(new Error(said));
}

function typeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('type' in error)) return 'unknown';
  return String(error.type);
}

/** The blocks of a message; `message_start` has some where a step of programmatic tool calling is whole. */
export function contentIn({ content }: JsonObject): JsonObject[] {
  return objectsIn(content);
}
