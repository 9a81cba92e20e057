import type { CatalogDocumentInput } from '@model-gateway/shared';
import { envelopeOf, modelEntry, sendRaw, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStoringProvider } from '../providers/storing-provider.ts';
import { askResponses, eventsOf, responseOf } from './ask-responses.ts';
import { openAiOf } from './official-clients.ts';

let otherKey: string;

const document = (apis: ('chat' | 'responses')[] = ['chat', 'responses']): CatalogDocumentInput => ({
  providers: [
    { id: 'recorder', name: 'Recorder', kind: 'openai-compatible', apis, base_url: keeping.baseUrl },
    { id: 'bare', name: 'Bare', kind: 'openai-compatible', base_url: keeping.baseUrl },
  ],
  models: [
    { id: 'acme/kept', provider: 'recorder' },
    { id: 'acme/bare', provider: 'bare' },
  ].map(({ id, provider }) => modelEntry(id, { [provider]: 'theirs' })),
});

const keeping = withStarted(() => startStoringProvider('a'));
const gateway = withGateway(() => ({ document: () => document() }));
beforeAll(async () => {
  ({ rawKey: otherKey } = await gateway.createKey());
});
let respond: typeof keeping.respond;
beforeAll(() => {
  respond = keeping.respond;
});
beforeEach(() => {
  keeping.received.length = 0;
  keeping.respond = respond;
});

const ask = (options: Parameters<typeof askResponses>[2], key = gateway.rawKey) =>
  askResponses(gateway, key, options);
const create = async () => responseOf(await ask({ body: { model: 'acme/kept', input: 'hi' } }));

const ROUTES = [
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/cancel'],
  ['GET', '/input_items'],
] as const;

describe('a response that its provider stores', () => {
  it("a stored response is read under the caller's id and model", async () => {
    const { id } = await create();
    const read = await ask({ path: `/${id}` });
    expect(read.status, read.body).toBe(200);
    expect(responseOf(read)).toMatchObject({ id, model: 'acme/kept', status: 'completed' });
    expect(read.body).not.toMatch(/resp_a_|theirs/);
    expect(keeping.received.at(-1)).toMatchObject({ method: 'GET', body: '' });
    expect(keeping.received.at(-1)?.url).toMatch(/^\/v1\/responses\/resp_a_\d+$/);
  });

  it("a stored response is streamed from any event on, with the caller's options", async () => {
    const { id } = await create();
    const read = await ask({ path: `/${id}?stream=true&starting_after=3&include[]=a%20b&include[]=c` });
    expect(read.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(eventsOf(read).map(({ name }) => name)).toEqual([
      'response.created',
      'response.output_text.delta',
      'response.completed',
    ]);
    expect(JSON.parse(eventsOf(read).at(-1)?.data ?? '').response).toMatchObject({ id, model: 'acme/kept' });
    const { searchParams } = new URL(keeping.received.at(-1)?.url ?? '', 'http://provider');
    expect([...searchParams]).toEqual([
      ['stream', 'true'],
      ['starting_after', '3'],
      ['include[]', 'a b'],
      ['include[]', 'c'],
    ]);
  });

  it('a stored response lists its input, can be cancelled and deleted, and is then gone', async () => {
    const { id } = await create();
    const items = await ask({ path: `/${id}/input_items?limit=5&order=asc&after=x` });
    expect(items.status, items.body).toBe(200);
    expect(JSON.parse(items.body)).toMatchObject({ object: 'list', first_id: 'msg_in', has_more: false });
    expect(keeping.received.at(-1)?.url).toMatch(/\/input_items\?limit=5&order=asc&after=x$/);
    const cancelled = await ask({ method: 'POST', path: `/${id}/cancel` });
    expect(responseOf(cancelled)).toMatchObject({ id, model: 'acme/kept', status: 'cancelled' });
    const deleted = await ask({ method: 'DELETE', path: `/${id}` });
    expect(JSON.parse(deleted.body)).toEqual({ id, object: 'response', deleted: true });
    const gone = await ask({ path: `/${id}` });
    expect(gone.status).toBe(404);
    expect(envelopeOf(gone)).toMatchObject({
      message: `Response with id '${id}' not found.`,
      param: 'response_id',
    });
  });

  it("events and the deletion of a stored response never show the provider's id", async () => {
    const { id } = await create();
    keeping.respond = (res, { method, url }) => {
      const [own = ''] = /resp_a_\d+/.exec(url) ?? [];
      const names = { id: own, response_id: own, model: 'theirs' };
      if (method === 'DELETE') {
        res.writeHead(200, { 'content-type': 'application/json' });
        return res.end(JSON.stringify({ ...names, model: undefined, deleted: true }));
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const response = { id: own, object: 'response', created_at: 1, model: 'theirs', output: [] };
      for (const event of [
        { ...names, type: 'response.output_text.delta', delta: 'x' },
        { ...names, type: 'response.completed', response: { ...response, status: 'failed' } },
      ])
        res.write(`data: ${JSON.stringify(event)}\n\n`);
      return res.end();
    };
    const read = await ask({ path: `/${id}?stream=true&starting_after=1` });
    expect(read.body).not.toMatch(/resp_a_|theirs/);
    expect(eventsOf(read).map(({ name }) => name)).toEqual(['response.output_text.delta', 'response.failed']);
    for (const { data } of eventsOf(read))
      expect(JSON.parse(data)).toMatchObject({ id, response_id: id, model: 'acme/kept' });
    const deleted = await ask({ method: 'DELETE', path: `/${id}` });
    expect(JSON.parse(deleted.body)).toEqual({ id, response_id: id, deleted: true });
  });

  it('the official client reads, cancels, lists and deletes a stored response', async () => {
    const client = openAiOf(gateway);
    const { id } = await client.responses.create({ model: 'acme/kept', input: 'hi' });
    expect((await client.responses.retrieve(id)).id).toBe(id);
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
    expect((await client.responses.inputItems.list(id)).data).toHaveLength(1);
    const types: string[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true })) types.push(event.type);
    expect(types.at(-1)).toBe('response.completed');
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it.each(ROUTES)(
    'another account gets 404 for %s %s, and the provider is not asked',
    async (method, below) => {
      const { id } = await create();
      const asked = keeping.received.length;
      const foreign = await ask({ method, path: `/${id}${below}` }, otherKey);
      expect(foreign.status).toBe(404);
      expect(envelopeOf(foreign).message).toBe(`Response with id '${id.slice(0, 200)}' not found.`);
      const last = id.at(-1) === 'A' ? 'B' : 'A';
      for (const changed of [`${id.slice(0, -1)}${last}`, `${id}A`, id.slice(0, -1), 'resp_a_1', 'resp_'])
        expect((await ask({ method, path: `/${changed}${below}` })).status).toBe(404);
      expect(keeping.received).toHaveLength(asked);
    },
  );

  it.each([
    ['PUT', '', 'GET, HEAD, DELETE'],
    ['POST', '', 'GET, HEAD, DELETE'],
    ['GET', '/cancel', 'POST'],
    ['DELETE', '/input_items', 'GET, HEAD'],
  ])('a stored response answers %s %s with 405', async (method, below, allowed) => {
    const refused = await ask({ method, path: `/resp_1${below}` });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, allowed]);
  });

  it('a stored response needs a key', async () => {
    const { id } = await create();
    for (const [method, below] of ROUTES)
      expect((await ask({ method, path: `/${id}${below}` }, 'nonsense')).status).toBe(401);
  });

  it('reading a stored response counts as a read and is free', async () => {
    const { id } = await create();
    const read = await ask({ path: `/${id}` });
    expect(read.headers.get('ratelimit-policy')).toContain('"key"');
    const receipt = await fetch(`${gateway.baseUrl}/v1/usage/requests/${read.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${gateway.rawKey}` },
    });
    expect(receipt.status).toBe(404);
  });

  it("a provider's failure comes in the error envelope, without its words", async () => {
    const { id } = await create();
    keeping.respond = (res) => res.writeHead(500).end('secret');
    const failed = await ask({ path: `/${id}` });
    expect(failed.status).toBe(502);
    expect(envelopeOf(failed).code).toBe('upstream_error');
    keeping.respond = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"type":"response.output_text.delta","delta":"x"}\n\n');
      setImmediate(() => res.destroy());
    };
    const response = await fetch(`${gateway.baseUrl}/v1/responses/${id}?stream=true`, {
      headers: { authorization: `Bearer ${gateway.rawKey}` },
    });
    await expect(response.text()).rejects.toThrow();
  });

  it("a provider's refusal comes in its words, with the caller's id", async () => {
    const { id } = await create();
    keeping.respond = (res, { url, body }) => {
      const [own] = /resp_a_\d+/.exec(url + body) ?? [];
      const error = { message: `Response '${own}' is still queued.`, type: 'invalid_request_error' };
      res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    };
    const body = { model: 'acme/kept', input: 'on', previous_response_id: id };
    for (const refused of [
      ...ROUTES.map(([method, below]) => ({ method, path: `/${id}${below}` })),
      { body },
    ]) {
      const answer = await ask(refused);
      expect(answer.status).toBe(400);
      expect(envelopeOf(answer).message).toBe(`Response '${id}' is still queued.`);
    }
  });

  it('the error names the provider when it left the catalog or dropped Responses', async () => {
    const { id } = await create();
    try {
      for (const without of [
        document(['chat']),
        { providers: [document().providers[1]], models: [document().models[1]] } as CatalogDocumentInput,
      ]) {
        await gateway.applyCatalog(without);
        await expect.poll(async () => (await ask({ path: `/${id}` })).status).toBe(404);
        const gone = await ask({ path: `/${id}` });
        expect(envelopeOf(gone).message).toContain('"recorder"');
        const next = { model: 'acme/bare', input: 'on', previous_response_id: id };
        const turn = await ask({ body: next });
        expect(turn.status).toBe(404);
        expect(envelopeOf(turn)).toMatchObject({ param: 'previous_response_id' });
        expect(envelopeOf(turn).message).toMatch(/"recorder".*whole conversation/);
      }
    } finally {
      await gateway.applyCatalog(document());
      await expect.poll(async () => (await ask({ path: `/${id}` })).status).toBe(200);
    }
  });

  it('another data plane reads a stored response, as after a restart', async () => {
    const { id } = await create();
    const later = await gateway.startDataPlane();
    const read = await askResponses({ baseUrl: `http://127.0.0.1:${later.port}` }, gateway.rawKey, {
      path: `/${id}`,
    });
    expect(responseOf(read).id).toBe(id);
    await later.close();
  });
});

describe('a client that tries WebSocket where it is turned off', () => {
  let port: number;
  beforeAll(async () => {
    ({ port } = await gateway.startDataPlane({ RESPONSES_WEBSOCKET: 'false' }));
  });

  it.each([
    ['no key', ''],
    ['a wrong key', 'Authorization: Bearer nonsense\r\n'],
  ])(
    'a WebSocket client with %s gets 426, with advice to use POST, and its connection ends',
    async (_name, key) => {
      const answer = await sendRaw(
        port,
        `GET /v1/responses HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      expect([answer.status, answer.closed]).toEqual([426, true]);
      expect(envelopeOf(answer)).toMatchObject({
        code: 'upgrade_required',
        message: expect.stringMatching(/POST/),
      });
    },
  );

  it('a WebSocket upgrade of another route is answered like a plain request', async () => {
    const answer = await sendRaw(
      Number(new URL(gateway.baseUrl).port),
      'GET /v1/embeddings HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(answer.status).toBe(405);
  });
});
