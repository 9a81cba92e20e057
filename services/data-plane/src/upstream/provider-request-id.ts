import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@model-gateway/dialects';

const MAX_LENGTH = 200;
/** Headers that providers and proxies of any API use. */
const USUAL_HEADERS = ['x-request-id', 'request-id'];
/** Other text could not be stored, or is no id. */
const ID = /^[\x21-\x7e]{1,200}$/;

/** @param own the header of the provider's API */
export function requestIdInHeaders(headers: IncomingHttpHeaders, own: string): string | undefined {
  return headerOf(headers, own) ?? USUAL_HEADERS.map((name) => headerOf(headers, name)).find(Boolean);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_LENGTH) : undefined;
}

/** Finds the id of a response, such as `chatcmpl-…`, `msg_…` or `resp_…`, in its body or its first event. */
export function responseIdIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { id, message, response, responseId } = body;
  const ids = [id, responseId, idOf(message), idOf(response)];
  return ids.find((each): each is string => typeof each === 'string' && ID.test(each));
}

/** As `responseIdIn`, from the data of an event. */
export function responseIdInEvent(data: string | undefined): string | undefined {
  try {
    return responseIdIn(JSON.parse(data ?? ''));
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): unknown {
  return isObject(value) ? value.id : undefined;
}
