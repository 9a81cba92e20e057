import { causedByRequest } from './provider-failures.ts';

/** @throws GatewayError 502 if the data of an event is not JSON */
export function parseEventJson(data: string): unknown;
export function parseEventJson<Value>(data: string, parse: (text: string) => Value): Value;
export function parseEventJson(data: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(data);
  } catch (cause) {
    throw causedByRequest('the provider sent an event that is no JSON', cause);
  }
}
