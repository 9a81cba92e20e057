import type { oas32 } from 'zod-openapi';
import { type Location, matchOperation } from './match-operation.ts';

interface RouteStatus {
  method: string;
  route: string;
  status: number;
}

interface LocatedResponse {
  response: oas32.ResponseObject;
  /** The steps to it in the document. */
  pointer: readonly string[];
}

/** Documents errors of malformed requests, which are the same on every route. */
const ANY_ROUTE = '/health';
/** A route that responds with 404 `not_found`. */
const NOT_FOUND_ROUTE = '/v1/usage/requests/{request_id}';
/** A WebSocket upgrade (GET) of this path is documented with its POST. */
const RESPONSES = '/v1/responses';
/** The API whose errors have a form of their own, on every path below it. */
const MESSAGES = '/v1/messages';

/** Finds the documented response for a status of a route; returns a sentence when there is none. */
export function locateResponse(
  document: oas32.OpenAPIObject,
  { method, route, status }: RouteStatus,
): LocatedResponse | string {
  const own = matchOperation(document, method, route);
  if (own === undefined && status < 400) return `${method} ${route} is not documented`;
  const location = own ?? similar(document, route, status);
  if (location === undefined) return `${method} ${route} is not documented`;
  const response = responseOf(location, status);
  if (response === undefined) return `${method} ${route} is not documented to respond with ${status}`;
  return { response, pointer: [...location.pointer, 'responses', String(status)] };
}

/** Finds an operation with the same errors as this path, which has no operation itself. */
function similar(document: oas32.OpenAPIObject, route: string, status: number): Location | undefined {
  if (route === MESSAGES || route.startsWith(`${MESSAGES}/`))
    return matchOperation(document, 'POST', MESSAGES);
  if (route === RESPONSES && status === 426) return matchOperation(document, 'POST', RESPONSES);
  return matchOperation(document, 'GET', status === 404 ? NOT_FOUND_ROUTE : ANY_ROUTE);
}

function responseOf({ operation }: Location, status: number): oas32.ResponseObject | undefined {
  return operation.responses?.[String(status)];
}
