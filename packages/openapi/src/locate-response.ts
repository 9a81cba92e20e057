import type { oas32 } from 'zod-openapi';
import { type Location, matchOperation } from './match-operation.ts';

interface Asked {
  method: string;
  route: string;
  status: number;
}

interface LocatedResponse {
  response: oas32.ResponseObject;
  /** The steps to it in the document. */
  pointer: readonly string[];
  /** Whether the document has an example of each code that such an answer may have. */
  listsCodes: boolean;
}

/** Errors of the request itself are answered alike on every route, so any route of this document will do. */
const ANY_ROUTE = '/health';
/** A route that answers 404 `not_found`. */
const NOT_FOUND_ROUTE = '/v1/usage/requests/{request_id}';
/** Whatever is asked for below it is answered in Anthropic's form, also where there is no route. */
const MESSAGES_ROUTE = '/v1/messages';

/** Finds what the document says about a status of a route; a sentence when it says nothing. */
export function locateResponse(
  document: oas32.OpenAPIObject,
  { method, route, status }: Asked,
): LocatedResponse | string {
  const own = matchOperation(document, method, route);
  if (own === undefined && status < 400) return `${method} ${route} is not documented`;
  const location = own ?? locationBeside(document, route, status);
  if (location === undefined) return `${method} ${route} is not documented`;
  const response = responseOf(location, status);
  if (response === undefined) return `${method} ${route} is not documented to answer ${status}`;
  // No route says `not_found` in Anthropic's form.
  const listsCodes = own !== undefined || status !== 404 || !isBelowMessages(route);
  return { response, pointer: [...location.pointer, 'responses', String(status)], listsCodes };
}

/** An operation that answers errors as a path does which the document does not have. */
function locationBeside(document: oas32.OpenAPIObject, route: string, status: number): Location | undefined {
  if (isBelowMessages(route)) return matchOperation(document, 'POST', MESSAGES_ROUTE);
  return matchOperation(document, 'GET', status === 404 ? NOT_FOUND_ROUTE : ANY_ROUTE);
}

function isBelowMessages(route: string): boolean {
  return route === MESSAGES_ROUTE || route.startsWith(`${MESSAGES_ROUTE}/`);
}

function responseOf({ operation }: Location, status: number): oas32.ResponseObject | undefined {
  return operation.responses?.[String(status)];
}
