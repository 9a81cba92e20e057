import type { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { withMembers } from '../../json/with-members.ts';
import { inOneLine, requireOneLine } from '../shared/passthrough-event.ts';

/** An event of Responses: what the gateway reads of it. */
export interface ResponseEvent extends JsonObject {
  type: string;
}

export const COMPLETED = 'response.completed';
export const FAILED = 'response.failed';
/**
 * Types of final events, which repeat the whole response. `cancelled`: someone stopped it at the provider.
 */
export const ENDS: ReadonlySet<string> = new Set([
  COMPLETED,
  'response.incomplete',
  'response.cancelled',
  FAILED,
]);

const END_OF_STATUS: ReadonlyMap<unknown, string> = new Map([
  ['failed', FAILED],
  ['incomplete', 'response.incomplete'],
  ['cancelled', 'response.cancelled'],
]);

/**
 * Events longer than those of other APIs are so for the sake of pictures. Many small values of that length
 * would hold up the event loop for seconds, and take gigabytes.
 */
const USUAL_CHARACTERS = 4 * 1024 * 1024;
const MOST_VALUES = 1_000_000;
/** Each value within another one has one of these before it. */
const BEFORE_VALUES: ReadonlySet<number> = new Set(['[', '{', ','].map((mark) => mark.charCodeAt(0)));

/**
 * An event that is to pass, and its data in one line. One that calls a response complete of which it says
 * otherwise has the type that it should have.
 * @throws GatewayError 502 when the data is no event of Responses
 */
export function parseResponsesEvent(data: string): { event: ResponseEvent; line: string } {
  const event = parseResponseEvent(data);
  const line = inOneLine(data, event);
  if (event.type !== COMPLETED || !isObject(event.response)) return { event, line };
  const type = END_OF_STATUS.get(event.response.status);
  if (type === undefined) return { event, line };
  return {
    event: { ...event, type },
    line: withMembers(line, event, new Map([['type', JSON.stringify(type)]])),
  };
}

/** @throws GatewayError 502 when the data is no event of Responses */
function parseResponseEvent(data: string): ResponseEvent {
  if (data.length > USUAL_CHARACTERS && hasTooManyValues(data))
    throw causedByRequest('a long event has more values than any of Responses');
  const value = parseEventJson(data);
  if (!isResponseEvent(value)) throw causedByRequest('the provider sent an event that is none of Responses');
  requireOneLine(value.type);
  return value;
}

/** Counts marks in texts, too: a text of that length has fewer. */
function hasTooManyValues(data: string): boolean {
  let values = 0;
  for (let at = 0; at < data.length; at++)
    if (BEFORE_VALUES.has(data.charCodeAt(at)) && ++values > MOST_VALUES) return true;
  return false;
}

function isResponseEvent(value: unknown): value is ResponseEvent {
  return isObject(value) && typeof value.type === 'string';
}

/** Codes of failures that no request brings about. All others may be about what was asked. */
const OF_THE_PROVIDER: ReadonlySet<unknown> = new Set([undefined, null, '', 'server_error', 'overloaded']);
const LIMITED = 'rate_limit_exceeded';
const MOST_SHOWN = 100;

/** Returns the meaning of the provider's own error. @param error `error` of a response, or of an event */
export function responsesFailure(error: unknown): GatewayError {
  const code = isObject(error) ? error.code : undefined;
  const said = `the provider said that it has failed: ${String(code ?? 'without a code').slice(0, MOST_SHOWN)}`;
  if (code === LIMITED) return rateLimitedInStream(said);
  return OF_THE_PROVIDER.has(code) ? badGateway(new Error(said)) : causedByRequest(said);
}

/** The error of an `error` event: in a member of its own, or in the event itself. */
export function errorIn(event: ResponseEvent): unknown {
  return isObject(event.error) ? event.error : event;
}
