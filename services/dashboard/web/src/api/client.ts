import { ApiError, errorOf, networkError } from './api-error.ts';

export { ApiError } from './api-error.ts';

export type Query = Record<string, string | number | undefined>;

let notifySignedOut: () => void = () => {};

/** Sets the listener for calls that fail because the session has ended. */
export function onSignedOut(listener: () => void): void {
  notifySignedOut = listener;
}

let proveIdentity: () => Promise<boolean> = async () => false;

/**
 * Sets the function that asks users to prove who they are, for calls that the server refuses until then. If
 * it resolves to true, the call is sent again.
 */
export function onProofNeeded(ask: () => Promise<boolean>): void {
  proveIdentity = ask;
}

/** @throws {ApiError} for every failure but an abort, whose DOMException is rethrown */
export async function getJson<Body>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Body> {
  const response = await send(withQuery(path, query), signal === undefined ? {} : { signal });
  return response.json();
}

/** Returns the parsed body; undefined for 204. @throws {ApiError} for every failure */
export async function postJson<Body>(path: string, body?: unknown): Promise<Body> {
  const response = await postForResponse(path, body);
  if (response.status === 204) {
    // The caller declares `undefined` for such routes.
    return undefined as Body;
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
  try {
    return await sendOnce(path, init);
  } catch (error) {
    const isProofNeeded = error instanceof ApiError && error.code === 'reauthentication_required';
    if (!isProofNeeded || !(await proveIdentity())) throw error;
    return await sendOnce(path, init);
  }
}

async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    throw isAbort(error) ? error : networkError();
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401 && error.code === 'signed_out') {
    notifySignedOut();
  }
  throw error;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Adds query parameters to a path; leaves out undefined ones. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(name, String(value));
    }
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
