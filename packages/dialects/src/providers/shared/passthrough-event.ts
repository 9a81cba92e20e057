import { causedByRequest } from '../../failures/provider-failures.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json-object.ts';

const LINE_END = /[\r\n]/;

/** A line end in the type would begin another field of the event. @throws GatewayError 502 */
export function requireOneLine(type: string): void {
  if (LINE_END.test(type)) throw causedByRequest('the type of an event has several lines');
}

/** Serializes data of several lines again, on one line. */
export function inOneLine(data: string, event: JsonObject): string {
  return data.includes('\n') ? writeExactJson(event) : data;
}
