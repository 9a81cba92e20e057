import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { describeCallFailure } from '../describe-call-failure.ts';
import { HttpControlPlane } from './http-control-plane.ts';

const TOKEN = 'gw_admin_secret';
const REQUEST_ID = `req_${'a'.repeat(24)}`;
const OF_GATEWAY = { 'content-type': 'application/json', 'x-request-id': REQUEST_ID };
const LIMITS = JSON.stringify({ accountId: 'acct_1', freePerMinute: { value: 60, isDefault: true } });

interface Seen {
  path: string;
  authorization: string | undefined;
  body: string;
}

/** Starts a server at the URL of a management API. */
async function startServer(answer: RequestListener) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers;
    seen.push({ path: request.url ?? '', authorization, body: await text(request) });
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function errorText(message: string): string {
  return JSON.stringify({ error: { message, type: 't', code: 'c', param: null, request_id: REQUEST_ID } });
}

/** Returns what gatewayctl says about a call that fails. */
async function failureOf(url: string, deadlineMs = 5_000): Promise<string> {
  const calls = new HttpControlPlane({ url, token: TOKEN });
  const error = await calls.call(deadlineMs, 'accounts', 'getLimits', { account: 'a' }).then(
    () => new Error('the call has succeeded'),
    (thrown: unknown) => thrown,
  );
  return describeCallFailure(error, { by: 'http', url })?.join('\n') ?? String(error);
}

describe('a call over HTTP', () => {
  it('is a POST of the message in JSON with the admin key, and its answer has the form of gRPC', async () => {
    await using server = await startServer((_, response) => response.writeHead(200, OF_GATEWAY).end(LIMITS));
    const calls = new HttpControlPlane({ url: server.url, token: TOKEN });
    const limits = await calls.call(5_000, 'accounts', 'getLimits', { account: 'a' });
    expect(limits).toMatchObject({
      accountId: 'acct_1',
      freePerMinute: { value: 60, isDefault: true },
      paidPerMinute: null,
    });
    expect(server.seen).toEqual([
      {
        path: '/admin/v1/rpc/AccountService/GetLimits',
        authorization: `Bearer ${TOKEN}`,
        body: '{"account":"a"}',
      },
    ]);
  });

  it('is repeated after a rate limit, within its deadline', async () => {
    let refusals = 1;
    await using server = await startServer((_, response) => {
      if (refusals-- <= 0) return void response.writeHead(200, OF_GATEWAY).end(LIMITS);
      response.writeHead(429, { ...OF_GATEWAY, 'retry-after': '1' }).end(errorText('too many'));
    });
    const calls = new HttpControlPlane({ url: server.url, token: TOKEN });
    await calls.callOnce(5_000, 'accounts', 'getLimits', { account: 'a' });
    refusals = 9;
    expect(await failureOf(server.url, 100)).toBe('too many');
    expect(server.seen).toHaveLength(3);
  });

  it('is repeated once after a lost connection, but not if it must not run twice', async () => {
    let lost = 1;
    await using server = await startServer((request, response) => {
      if (lost-- > 0) request.socket.destroy();
      else response.writeHead(200, OF_GATEWAY).end(LIMITS);
    });
    const calls = new HttpControlPlane({ url: server.url, token: TOKEN });
    await calls.call(5_000, 'accounts', 'getLimits', { account: 'a' });
    lost = 1;
    await expect(calls.callOnce(5_000, 'accounts', 'getLimits', { account: 'a' })).rejects.toThrow();
    expect(server.seen).toHaveLength(3);
  });

  it('that exceeds its deadline may have made the change', async () => {
    await using server = await startServer(() => undefined);
    expect(await failureOf(server.url, 50)).toMatch(/took too long, and may or may not have made the change/);
  });

  it('fails in the words of the control plane', async () => {
    await using server = await startServer((_, response) =>
      response.writeHead(404, { ...OF_GATEWAY, 'grpc-status': '5' }).end(errorText('there is no account a')),
    );
    expect(await failureOf(server.url)).toBe('there is no account a');
  });
});

describe('the message of a failed call says what to do', () => {
  it.each<[string, number, Record<string, string>, string]>([
    ['a page', 200, { 'content-type': 'text/html' }, '<html>'],
    ['a redirect', 302, { location: 'https://example.com/' }, ''],
    ['JSON of something else', 200, { 'content-type': 'application/json' }, '{"accountId":"a"}'],
    ['an unknown route of the data plane', 404, OF_GATEWAY, errorText('There is no such route.')],
    ['broken JSON', 200, OF_GATEWAY, '{'],
  ])('if another server answers with %s', async (_, status, headers, body) => {
    await using server = await startServer((__, response) => response.writeHead(status, headers).end(body));
    expect(await failureOf(server.url)).toMatch(
      new RegExp(
        `^the server at ${server.url} is not the management API of a gateway \\(HTTP status ${status}, .*--url`,
      ),
    );
    // The call is not repeated, and no other server gets the key.
    expect(server.seen).toHaveLength(1);
  });

  it('if the key is not accepted or lacks a scope', async () => {
    let status = 401;
    await using server = await startServer((_, response) =>
      response.writeHead(status, OF_GATEWAY).end(errorText('It is no good.')),
    );
    expect(await failureOf(server.url)).toMatch(/does not accept the admin key: It is no good\. Set --token/);
    status = 403;
    expect(await failureOf(server.url)).toBe('It is no good.');
  });

  it('if the server is an older release', async () => {
    await using server = await startServer((_, response) =>
      response.writeHead(404, { ...OF_GATEWAY, 'grpc-status': '12' }).end(errorText('unknown')),
    );
    expect(await failureOf(server.url)).toMatch(/runs an older release without this command: upgrade it$/);
  });

  it('if nobody listens at the URL', async () => {
    expect(await failureOf('http://127.0.0.1:9')).toMatch(
      /^no gateway answers at http:\/\/127\.0\.0\.1:9 \(.*(ECONNREFUSED|bad port).*\): start it .*--url/,
    );
  });
});
