import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ catalog: true });
});
afterAll(() => gateway.close());

const catalogUrl = () => `http://127.0.0.1:${gateway.catalog?.port}`;
const dataPlaneUrl = () => gateway.baseUrl;

interface Answer {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** So that those who ask a data plane and those who ask the catalog service do not meet one limit. */
const addressFor = (url: string) => (url.startsWith(catalogUrl()) ? '127.0.0.2' : '127.0.0.3');

/** As it is sent: fetch would unpack it. */
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const asked = request(url, { headers, method, localAddress: addressFor(url) });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** Asks until the answer is compressed, which it is soon after it was asked for twice. */
async function compressed(url: string, headers: Record<string, string> = { 'accept-encoding': 'gzip' }) {
  let answer = await ask(url, headers);
  await until(async () => {
    answer = await ask(url, headers);
    return answer.headers['content-encoding'] === 'gzip';
  });
  return answer;
}

describe.each([
  ['the catalog service', catalogUrl],
  ['a data plane', dataPlaneUrl],
])('an answer of %s', (_name, baseUrl) => {
  it('is compressed for a client that takes it, with an ETag of its own', async () => {
    for (const path of ['/v1/models', '/v1/models?tier=paid', '/openapi.json']) {
      const plain = await ask(baseUrl() + path);
      const answer = await compressed(baseUrl() + path);
      expect(gunzipSync(answer.body)).toEqual(plain.body);
      expect(answer.body.length).toBeLessThan(plain.body.length / 2);
      expect(answer.headers['content-length']).toBe(String(answer.body.length));
      expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
      expect(answer.headers.etag).toBe(plain.headers.etag?.replace(/"$/, '-gzip"'));
      for (const { headers } of [plain, answer]) expect(headers.vary).toMatch(/\bAccept-Encoding$/);
      expect(plain.headers['content-encoding']).toBeUndefined();
      const head = await ask(baseUrl() + path, { 'accept-encoding': 'gzip' }, 'HEAD');
      expect([head.headers['content-encoding'], head.headers['content-length'], head.body.length]).toEqual([
        'gzip',
        answer.headers['content-length'],
        0,
      ]);
    }
  });

  it.each([
    ['gzip, deflate, br', true],
    ['GZIP', true],
    ['*', true],
    ['gzip;q=0.2, identity;q=0.1', true],
    ['gzip, identity;q=0', true],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['gzip;q=0.5, identity', false],
    ['identity', false],
    ['br, deflate', false],
    ['*;q=0', false],
    ['', false],
  ])('to a client that takes "%s" is compressed: %s', async (taken, isCompressed) => {
    const url = `${baseUrl()}/v1/models`;
    await compressed(url);
    const { status, headers } = await ask(url, { 'accept-encoding': taken });
    expect([status, headers['content-encoding']]).toEqual([200, isCompressed ? 'gzip' : undefined]);
  });

  it.each<[string, { taken: string; has: 'plain' | 'gzip'; status: number; etag: 'plain' | 'gzip' }]>([
    ['the compressed one', { taken: 'gzip', has: 'gzip', status: 304, etag: 'gzip' }],
    ['the plain one, and takes both', { taken: 'gzip', has: 'plain', status: 304, etag: 'plain' }],
    [
      'the plain one, and takes only compressed ones',
      { taken: 'gzip, identity;q=0', has: 'plain', status: 200, etag: 'gzip' },
    ],
    [
      'the compressed one, and takes only plain ones',
      { taken: 'identity', has: 'gzip', status: 200, etag: 'plain' },
    ],
  ])('that a client has already is not sent again: %s', async (_case, { taken, has, status, etag }) => {
    const url = `${baseUrl()}/v1/models`;
    const etags = {
      plain: (await ask(url)).headers.etag ?? '',
      gzip: (await compressed(url)).headers.etag ?? '',
    };
    const answer = await ask(url, { 'accept-encoding': taken, 'if-none-match': etags[has] });
    expect([answer.status, answer.headers.etag]).toEqual([status, etags[etag]]);
    expect(answer.body.length > 0).toBe(status === 200);
  });

  it('a process that has not compressed the list recognizes the ETag of the compressed one', async () => {
    const url = `${baseUrl()}/v1/models?capability=chat&provider=sim&q=${addressFor(baseUrl())}`;
    const plain = await ask(url);
    const etag = plain.headers.etag?.replace(/"$/, '-gzip"') ?? '';
    const answer = await ask(url, { 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect([answer.status, answer.headers.etag]).toEqual([304, etag]);
  });

  it('that differs each time, or fits into a packet, is sent as it is', async () => {
    for (const path of ['/v1/status/models', '/v1/models?q=chat-free']) {
      for (let turn = 0; turn < 5; turn++) {
        const { status, headers } = await ask(baseUrl() + path, { 'accept-encoding': 'gzip' });
        expect([status, headers['content-encoding']]).toEqual([200, undefined]);
      }
    }
  });
});
