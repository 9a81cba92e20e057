import { badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject, objectOr } from '../../json/json-object.ts';

export interface CohereEvent extends JsonObject {
  type: string;
}

/** @throws GatewayError 502 for anything but an event, and for an error event */
export function parseCohereEvent(data: string): CohereEvent {
  const value = parseEventJson(data);
  if (!isChatEvent(value)) throw causedByRequest('the provider sent an event that is none of a chat');
  if (value.type === 'error') throw badGateway(new Error('the provider sent an error event'));
  return value;
}

export function messageIn({ delta }: CohereEvent): JsonObject {
  return objectOr(objectOr(delta).message);
}

/** An object without a type is an error in the form of a plain response. */
function isChatEvent(value: unknown): value is CohereEvent {
  return isObject(value) && typeof value.type === 'string';
}
