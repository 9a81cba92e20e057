export interface RequestOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Sends JSON below /v1, and does not read the response. A `path` that starts with "/" is absolute; a `body`
 * that is a text or bytes is sent as it is.
 */
export function postJson(
  baseUrl: string,
  rawKey: string,
  path: string,
  body: object | string | Uint8Array<ArrayBuffer>,
  { headers, ...more }: RequestOptions = {},
): Promise<Response> {
  return fetch(new URL(path, `${baseUrl}/v1/`), {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...more,
  });
}
