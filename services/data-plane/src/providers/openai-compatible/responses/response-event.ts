import type { GatewayError } from '@model-gateway/shared';
import { badGateway, providerLimits } from '@model-gateway/shared/errors';
import { OfTheRequest } from '../../../errors/provider-errors.ts';
import { isObject, type JsonObject } from '../../../translation/json-object.ts';

/** An event of Responses: what the gateway reads of it. */
export interface ResponseEvent extends JsonObject {
  type: string;
}

/** A type that goes into a line of its own. */
const LINE_END = /[\r\n]/;

/** @throws GatewayError 502 when the data is no event of Responses */
export function parseResponseEvent(data: string): ResponseEvent {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw badGateway(cause);
  }
  if (!isResponseEvent(value))
    throw badGateway(new Error('the provider sent an event that is none of Responses'));
  if (LINE_END.test(value.type)) throw badGateway(new Error('the type of an event has several lines'));
  return value;
}

function isResponseEvent(value: unknown): value is ResponseEvent {
  return isObject(value) && typeof value.type === 'string';
}

/** Codes of failures that no request brings about. All others may be about what was asked. */
const OF_THE_PROVIDER: ReadonlySet<unknown> = new Set([undefined, null, '', 'server_error', 'overloaded']);
const LIMITED = 'rate_limit_exceeded';
const MOST_SHOWN = 100;

/** What a provider's own word of its failure means. @param error `error` of a response, or of an event */
export function failureIn(error: unknown): GatewayError {
  const code = isObject(error) ? error.code : undefined;
  const said = `the provider said that it has failed: ${String(code ?? 'without a code').slice(0, MOST_SHOWN)}`;
  if (code === LIMITED) return providerLimits(undefined, new OfTheRequest(said));
  return badGateway(OF_THE_PROVIDER.has(code) ? new Error(said) : new OfTheRequest(said));
}

/** The error of an `error` event: in a member of its own, or in the event itself. */
export function errorIn(event: ResponseEvent): unknown {
  return isObject(event.error) ? event.error : event;
}
