import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeError } from '@model-gateway/service-kit';
import { afterAll, expect, it } from 'vitest';
import { straightToRoute } from './straight-to-route.ts';

const servers = new AsyncDisposableStack();
afterAll(() => servers.disposeAsync());

const says =
  (who: string): RequestListener =>
  (_req, res) => {
    res.end(who);
  };

async function start(route: RequestListener) {
  const posts = new Map([
    ['/v1/a', route],
    ['/v1/a?beta=true', route],
  ]);
  const listener = straightToRoute(posts, says('framework'), (_req, res, error) => writeError(res, error));
  const server = servers.use(createServer(listener));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return (method: string, target: string) => fetch(`http://127.0.0.1:${port}${target}`, { method });
}

it('only an exact POST target bypasses the framework', async () => {
  const send = await start(says('route'));
  const answeredBy = async (method: string, target: string) => (await send(method, target)).text();
  expect(await answeredBy('POST', '/v1/a')).toBe('route');
  expect(await answeredBy('POST', '/v1/a?beta=true')).toBe('route');
  for (const target of ['/v1/a/', '/v1/A', '/v1/%61', '/v1/a?', '/v1/a?b=c', '/v1', '/v1/a/b', '/v1/b'])
    expect(await answeredBy('POST', target), target).toBe('framework');
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
    expect(await answeredBy(method, '/v1/a'), method).toBe('framework');
});

it.each([
  ['at once', () => Promise.reject(new Error('internal detail'))],
  [
    'before it returns',
    () => {
      throw new Error('internal detail');
    },
  ],
])('a route that fails %s gets an error body, and the process stays up', async (_when, route) => {
  const send = await start(route);
  const answer = await send('POST', '/v1/a');
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toContain('"code":"internal_error"');
  expect(text).not.toContain('internal detail');
});
