import type { GatewayError } from '@model-gateway/shared';
import { asProviderSaid, badGateway } from '@model-gateway/shared/errors';
import { OfTheRequest } from '../../errors/provider-errors.ts';
import type { JsonObject } from '../chat.ts';

/** An event of Messages: what the gateway reads of it. */
export interface MessageEvent extends JsonObject {
  type: string;
}

/** @throws GatewayError 502 when the data is no event of Messages, or says that the provider has failed */
export function parseMessageEvent(data: string): MessageEvent {
  const event = parsed(data);
  if (event.type === 'error') throw failureOf(event, data);
  return event;
}

function parsed(data: string): MessageEvent {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw badGateway(cause);
  }
  if (isMessageEvent(value)) return value;
  throw badGateway(new Error('the provider sent an event that is none of Messages'));
}

function isMessageEvent(value: unknown): value is MessageEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The statuses of Anthropic's errors by their type. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};
const BAD_GATEWAY = 502;

/** Begun answers that break off are a fault of the provider, unless it finds fault with the request. */
function failureOf(event: MessageEvent, data: string): GatewayError {
  const type = typeOf(event.error);
  const status = STATUS[type] ?? BAD_GATEWAY;
  const said = `the provider sent an error event: ${type.slice(0, 100)}`;
  const isOfRequest = status < 429;
  const cause = isOfRequest ? new OfTheRequest(said) : new Error(said);
  return asProviderSaid(badGateway(cause), { status, body: data });
}

function typeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('type' in error)) return 'unknown';
  return String(error.type);
}

/** A member of an event that is an object; else an empty one. */
export function objectIn(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
