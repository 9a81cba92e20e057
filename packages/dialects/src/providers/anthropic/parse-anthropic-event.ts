import type { GatewayError } from '@model-gateway/shared';
import { asProviderSaid, badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream } from '../../failures/provider-failures.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/json-object.ts';

export interface AnthropicEvent extends JsonObject {
  type: string;
}

/**
 * @param isOwnApi true if the caller uses this API: an error event then passes unchanged
 * @throws GatewayError 502 for anything but an event and for an error event, 429 for `rate_limit_error`
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

/** Blames the provider for errors within a response, except for those about the request. */
function failureOf(type: string): GatewayError {
  const reason = `the provider sent an error event: ${type.slice(0, 100)}`;
  if (type === LIMITED) return rateLimitedInStream(reason);
  return OF_THE_REQUEST.has(type) ? causedByRequest(reason) : badGateway(new Error(reason));
}

function typeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('type' in error)) return 'unknown';
  return String(error.type);
}

/** `message_start` has blocks for a step of programmatic tool calling. */
export function contentIn({ content }: JsonObject): JsonObject[] {
  return objectsIn(content);
}
