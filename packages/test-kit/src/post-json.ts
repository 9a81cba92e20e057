export interface RequestOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Sends JSON below /v1, and does not read the response. A `path` that starts with "/" is absolute. Text,
 * bytes and forms are sent unchanged, and a form has its own media type.
 */
export function postJson(
  baseUrl: string,
  rawKey: string,
  path: string,
  body: object | string | Uint8Array<ArrayBuffer> | FormData,
  { headers, ...more }: RequestOptions = {},
): Promise<Response> {
  const isSentAsIs = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  return fetch(new URL(path, `${baseUrl}/v1/`), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rawKey}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isSentAsIs ? body : JSON.stringify(body),
    ...more,
  });
}
