import type { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { withMembers } from '../../json/with-members.ts';
import { inOneLine, requireOneLine } from '../shared/passthrough-event.ts';

export interface ResponseEvent extends JsonObject {
  type: string;
}

export const COMPLETED = 'response.completed';
export const FAILED = 'response.failed';
/** Final events repeat the whole response. */
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

/** Only images make events longer. As many small values would block the event loop and take gigabytes. */
const MAX_UNCHECKED_CHARACTERS = 4 * 1024 * 1024;
const MAX_VALUES = 1_000_000;
/** One of these stands before each nested value. */
const BEFORE_VALUES: ReadonlySet<number> = new Set(['[', '{', ','].map((mark) => mark.charCodeAt(0)));

/** Corrects the type of a `response.completed` with another status. @throws GatewayError 502 */
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

function parseResponseEvent(data: string): ResponseEvent {
  if (data.length > MAX_UNCHECKED_CHARACTERS && hasTooManyValues(data))
    throw causedByRequest('a long event has more values than any of Responses');
  const value = parseEventJson(data);
  if (!isResponseEvent(value)) throw causedByRequest('the provider sent an event that is none of Responses');
  requireOneLine(value.type);
  return value;
}

/** Also counts marks inside strings; no real string has so many. */
function hasTooManyValues(data: string): boolean {
  let values = 0;
  for (let at = 0; at < data.length; at++)
    if (BEFORE_VALUES.has(data.charCodeAt(at)) && ++values > MAX_VALUES) return true;
  return false;
}

function isResponseEvent(value: unknown): value is ResponseEvent {
  return isObject(value) && typeof value.type === 'string';
}

/** Failures that no request causes. */
const OF_THE_PROVIDER: ReadonlySet<unknown> = new Set([undefined, null, '', 'server_error', 'overloaded']);
const LIMITED = 'rate_limit_exceeded';
const MAX_CODE_LENGTH = 100;

export function responsesFailure(error: unknown): GatewayError {
  const code = isObject(error) ? error.code : undefined;
  const message = `the provider said that it has failed: ${String(code ?? 'without a code').slice(0, MAX_CODE_LENGTH)}`;
  if (code === LIMITED) return rateLimitedInStream(message);
  return OF_THE_PROVIDER.has(code) ? badGateway(new Error(message)) : causedByRequest(message);
}

/** Some providers put the error into a member, others into the event itself. */
export function errorIn(event: ResponseEvent): unknown {
  return isObject(event.error) ? event.error : event;
}
