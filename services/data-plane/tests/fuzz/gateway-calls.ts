import { type FuzzedGateway, require } from './fuzz-target.ts';

/** @throws Error if the data plane no longer responds */
export async function requireServing({ port }: FuzzedGateway): Promise<void> {
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  await health.body?.cancel();
  require(health.status === 200, `its health is ${health.status}`);
}

/** Sends a request, and reads the answer to its end. */
export async function posted(
  { port, rawKey }: FuzzedGateway,
  path: string,
  contentType: string,
  body: string | Buffer,
): Promise<{ status: number; text: string; isStream: boolean }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': contentType },
    body,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return { status: response.status, text: await response.text(), isStream };
}

/** @throws Error unless a response is a success, or a 4xx with a message */
export function requireAnswer({ status, text }: { status: number; text: string }): void {
  require(status < 500, `${status} ${text.slice(0, 300)}`);
  if (status !== 200) require(/"message":"[^"]/.test(text), `${status} without a message`);
}
