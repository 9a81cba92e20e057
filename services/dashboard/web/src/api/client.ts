import { errorOf, networkError } from './error.ts';

export { ApiError } from './error.ts';

type Query = Record<string, string | number | undefined>;

let notifySignedOut: () => void = () => {};

/** Sets the listener for calls that fail because the session has ended. */
export function onSignedOut(listener: () => void): void {
  notifySignedOut = listener;
}

/** @throws {ApiError} for every failure but an abort, whose DOMException is rethrown */
export async function getJson<Answer>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await send(withQuery(path, query), signal === undefined ? {} : { signal });
  return response.json();
}

/** Returns the parsed body; undefined for 204. @throws {ApiError} for every failure */
export async function postJson<Answer>(path: string, body?: unknown): Promise<Answer> {
  const response = await postForResponse(path, body);
  if (response.status === 204) {
    // The caller declares `undefined` for such routes.
    return undefined as Answer;
  }
  return response.json();
}

/**
 * Returns the response unread, for streams.
 * @throws {ApiError} for an error status or a network failure; an abort is rethrown
 */
export function postForResponse(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  return send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    throw error instanceof DOMException && error.name === 'AbortError' ? error : networkError();
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401 && error.code === 'signed_out') {
    notifySignedOut();
  }
  throw error;
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(name, String(value));
    }
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
