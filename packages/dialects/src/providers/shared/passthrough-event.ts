import { causedByRequest } from '../../failures/provider-failures.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json-object.ts';

/** Members of all events that pass unchanged to a caller of the same API. */

const LINE_END = /[\r\n]/;

/**
 * The type is sent in a line of its own: a line end in it would begin another field of the event.
 * @throws GatewayError 502
 */
export function requireOneLine(type: string): void {
  if (LINE_END.test(type)) throw causedByRequest('the type of an event has several lines');
}

/** The data of an event in one line: several lines belong into several fields. @param event what it says */
export function inOneLine(data: string, event: JsonObject): string {
  return data.includes('\n') ? writeExactJson(event) : data;
}
