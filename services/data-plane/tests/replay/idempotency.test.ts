import { randomUUID } from 'node:crypto';
import { connectRedis } from '@model-gateway/limits';
import {
  type Answer,
  chatBody,
  metricOf,
  startGatewayWithKey,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { imageEditForm, type PictureFile } from '../endpoints/image-edit-form.ts';

const redisUrl = inject('redis')?.url ?? '';
const PAID = { model: 'sim/chat-pro' };

const errorOf = ({ body }: Answer) => JSON.parse(body).error;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe.skipIf(redisUrl === '')('a request with an Idempotency-Key', () => {
  const gateway = withGateway({ redisUrl });
  const chat: typeof gateway.chat = (...request) => gateway.chat(...request);
  const rows = (id: string | null) =>
    gateway.books.query('SELECT * FROM usage_records WHERE request_id = $1', [id]);

  it.each([
    ['whole', { ...PAID }],
    ['streamed', { ...PAID, stream: true }],
    ['of a free model', {}],
  ])('gets the first answer again, %s, and is charged once', async (_name, members) => {
    const key = randomUUID();
    const first = await chat(members, keyed(key));
    const again = await chat(members, keyed(key));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toBe(first.body);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const firstId = first.headers.get('x-request-id');
    expect(again.headers.get('x-gateway-first-request-id')).toBe(firstId);
    for (const name of ['content-type', 'x-gateway-model', 'cache-control'])
      expect(again.headers.get(name), name).toBe(first.headers.get(name));
    expect(gateway.provider.requests).toHaveLength(1);
    await until(async () => (await rows(firstId)).length === 1);
    expect(await rows(again.headers.get('x-request-id'))).toEqual([]);
  });

  it.each([false, true])('for a text completion gets the first one again; streamed: %s', async (stream) => {
    const ask = () => gateway.ask('completions', completion, keyed(`completion ${stream}`));
    const completion = { model: 'sim/complete-pro', prompt: 'a', stream };
    const first = await ask();
    const again = await ask();
    expect([first.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('is the same request if only the writing of its JSON differs', async () => {
    const key = randomUUID();
    const first = await gateway.ask(
      'chat/completions',
      JSON.stringify(chatBody({ seed: 1.5, user: 'é' })),
      keyed(key),
    );
    const text = `{ "user":"\\u00e9", "seed": 15e-1, "messages":[{"content":"hi","role":"user"}],"model":"sim/chat-free"}`;
    const again = await gateway.ask('chat/completions', text, keyed(key));
    expect(again.body).toBe(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('with another body gets 422, also while the first one runs and with large numbers', async () => {
    const key = randomUUID();
    const simulate = { delay_ms: 2_000 };
    const running = chat({ seed: 9_007_199_254_740_992, simulate }, keyed(key));
    await gateway.provider.waitForRequest();
    const other = await chat({ simulate }, keyed(key));
    expect([other.status, errorOf(other).code]).toEqual([422, 'idempotency_mismatch']);
    await running;
    const exact = JSON.stringify(chatBody({ seed: 0, simulate })).replace(
      '"seed":0',
      '"seed":9007199254740993',
    );
    expect((await gateway.ask('chat/completions', exact, keyed(key))).status).toBe(422);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('is independent of the same key at another endpoint, and of another account', async () => {
    const key = randomUUID();
    const first = await chat({}, keyed(key));
    const message = { model: 'sim/chat-free', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
    const elsewhere = await gateway.ask('messages', message, keyed(key));
    expect([elsewhere.status, elsewhere.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const stranger = await gateway.createKey();
    const foreign = await chat({}, { ...keyed(key), key: stranger.rawKey });
    expect([foreign.status, foreign.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(JSON.parse(foreign.body).id).not.toBe(JSON.parse(first.body).id);
  });

  it('tells another account nothing of its use, not even by its time', async () => {
    const stranger = await gateway.createKey();
    const used = Array.from({ length: 25 }, () => randomUUID());
    for (const key of used) await chat({}, keyed(key));
    const times = { used: [] as number[], unused: [] as number[] };
    const time = async (key: string, list: number[]) => {
      const startedAtMs = performance.now();
      const answer = await chat({}, { ...keyed(key), key: stranger.rawKey });
      list.push(performance.now() - startedAtMs);
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
    };
    for (const key of used) {
      await time(key, times.used);
      await time(randomUUID(), times.unused);
    }
    // Compares the fastest: whatever else runs on the machine only adds time.
    const ratio = Math.min(...times.used) / Math.min(...times.unused);
    expect(ratio).toBeGreaterThan(1 / 2);
    expect(ratio).toBeLessThan(2);
  });

  it('100 at once are one request at the provider and one charge; the others get it or 409', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const key = randomUUID();
    const members = { ...PAID, stream: true, simulate: { delay_ms: 200 } };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => chat(members, { ...keyed(key), key: rawKey })),
    );
    const [first, ...others] = answers.filter(({ status }) => status === 200);
    for (const { body } of others) expect(body).toBe(first?.body);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect([answer.status, errorOf(answer).code]).toEqual([409, 'idempotency_in_progress']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await chat(members, { ...keyed(key), key: rawKey })).body).toBe(first?.body);
    expect(gateway.provider.requests).toHaveLength(1);
    const charged = () =>
      gateway.books.query('SELECT * FROM usage_records WHERE account_id = $1', [accountId]);
    await until(async () => (await charged()).length > 0);
    expect(await charged()).toHaveLength(1);
  });

  it.each([[false], [true]])(
    'runs to its end although its client leaves, and its retry gets the answer (stream: %s)',
    async (stream) => {
      const key = randomUUID();
      const members = { ...PAID, stream, simulate: { delay_ms: 300, token_delay_ms: 30 } };
      const left = new AbortController();
      const leaving = chat(members, { ...keyed(key), signal: left.signal }).catch(() => undefined);
      const { closed } = await gateway.provider.waitForRequest();
      left.abort();
      await leaving;
      expect((await closed).reason).toBe('completed');
      let retry: Answer | undefined;
      await until(async () => {
        retry = await chat(members, keyed(key));
        return retry.status !== 409;
      });
      expect([retry?.status, retry?.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(retry?.body).toContain(stream ? 'data: [DONE]' : 'chat.completion');
      expect(gateway.provider.requests).toHaveLength(1);
      const record = await gateway.recordOf({
        headers: new Headers({ 'x-request-id': retry?.headers.get('x-gateway-first-request-id') ?? '' }),
      });
      expect(record).toMatchObject({ billing_reason: 'completed' });
    },
  );

  it.each<[string, object]>([
    [
      'messages',
      { model: 'sim/chat-pro', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }], stream: true },
    ],
    ['responses', { model: 'sim/chat-pro', input: 'hi', stream: true }],
    ['embeddings', { model: 'sim/embed-pro', input: 'hi' }],
    ['images/generations', { model: 'sim/image-pro', prompt: 'a cat' }],
    ['audio/speech', { model: 'sim/speech-pro', input: 'hi', voice: 'alloy' }],
  ])('runs to its end without its client at %s', async (path, body) => {
    const key = randomUUID();
    gateway.provider.script({ delay_ms: 300 });
    const left = new AbortController();
    const leaving = gateway.ask(path, body, { ...keyed(key), signal: left.signal }).catch(() => undefined);
    await gateway.provider.waitForRequest();
    left.abort();
    await leaving;
    let retry: Answer | undefined;
    await until(async () => {
      retry = await gateway.ask(path, body, keyed(key));
      return retry.status !== 409;
    });
    expect([retry?.status, retry?.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('without the header ends with its client, as ever', async () => {
    const left = new AbortController();
    const leaving = chat({ stream: true, simulate: { delay_ms: 5_000 } }, { signal: left.signal });
    const { closed } = await gateway.provider.waitForRequest();
    left.abort();
    await leaving.catch(() => undefined);
    expect((await closed).reason).toBe('client_closed');
  });

  it('that fails free of charge is tried anew', async () => {
    const key = randomUUID();
    gateway.provider.script({ status: 400, message: 'no' });
    const first = await chat(PAID, keyed(key));
    const again = await chat(PAID, keyed(key));
    expect([first.status, again.status]).toEqual([400, 200]);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await gateway.recordOf(again)).toMatchObject({ billing_reason: 'completed' });
  });

  it('that broke off after a part of its answer was charged is not tried again', async () => {
    const key = randomUUID();
    const members = { ...PAID, stream: true, simulate: { truncate: { after_events: 3 } } };
    const first = await chat(members, keyed(key));
    expect(first.isBroken).toBe(true);
    let again = await chat(members, keyed(key));
    await until(async () => {
      again = await chat(members, keyed(key));
      return errorOf(again).code !== 'idempotency_in_progress';
    });
    expect([again.status, errorOf(again).code]).toEqual([409, 'idempotency_spent']);
    expect(errorOf(again).message).toContain(first.headers.get('x-request-id'));
    expect(again.headers.get('x-should-retry')).toBe('false');
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('is refused if the key is malformed', async () => {
    for (const key of ['', ' ', 'a'.repeat(256), 'b\u00e4']) {
      const answer = await chat({}, keyed(key));
      expect([answer.status, errorOf(answer).param], key).toEqual([400, 'Idempotency-Key']);
    }
    expect((await chat({}, keyed('a'.repeat(255)))).status).toBe(200);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('works at every other POST', async () => {
    const form = () => {
      const data = new FormData();
      data.set('model', 'sim/transcribe-pro');
      data.set('file', new File([Buffer.alloc(3_000, 'sound')], 'a.mp3', { type: 'audio/mpeg' }));
      return data;
    };
    const requests: [string, () => object][] = [
      ['embeddings', () => ({ model: 'sim/embed-pro', input: 'hi' })],
      ['rerank', () => ({ model: 'sim/rerank-pro', query: 'a', documents: ['a', 'b'] })],
      ['images/generations', () => ({ model: 'sim/image-pro', prompt: 'a cat' })],
      ['images/edits', () => imageEditForm({ model: 'sim/image-pro', prompt: 'a cat', stream: true })],
      ['audio/speech', () => ({ model: 'sim/speech-pro', input: 'hi', voice: 'alloy' })],
      ['responses', () => ({ model: 'sim/chat-pro', input: 'hi' })],
      [
        'messages/count_tokens',
        () => ({ model: 'sim/chat-pro', messages: [{ role: 'user', content: 'hi' }] }),
      ],
      ['responses/input_tokens', () => ({ model: 'sim/chat-pro', input: 'hi' })],
      ['audio/transcriptions', form],
    ];
    for (const [path, body] of requests) {
      const key = randomUUID();
      const first = await gateway.ask(path, body(), keyed(key));
      const requestsBefore = gateway.provider.requests.length;
      const again = await gateway.ask(path, body(), keyed(key));
      expect([first.status, again.status, first.body === again.body], path).toEqual([200, 200, true]);
      expect(again.headers.get('idempotency-replayed'), path).toBe('true');
      expect(gateway.provider.requests.length, path).toBe(requestsBefore);
    }
  });

  it('with a form that differs in one byte of a picture, or in where one ends, gets 422', async () => {
    const send = (key: string, ...pictures: string[]) => {
      const files = pictures.map((text): PictureFile => ['image[]', 'a.png', Buffer.from(text)]);
      const form = imageEditForm({ model: 'sim/image-pro', prompt: 'a cat' }, files);
      return gateway.ask('images/edits', form, keyed(key));
    };
    const key = randomUUID();
    expect((await send(key, 'one', 'two')).status).toBe(200);
    for (const other of [['one', 'twO'], ['onet', 'wo'], ['two', 'one'], ['onetwo'], ['one', 'two', 'two']])
      expect((await send(key, ...other)).status, other.join()).toBe(422);
    expect((await send(key, 'one', 'two')).headers.get('idempotency-replayed')).toBe('true');
  });

  it('is encrypted in Redis', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const connection = connectRedis({ url: redisUrl });
    await connection.whenReady(5_000);
    const members = {
      messages: [{ role: 'user', content: 'swordfish' }],
      simulate: { content: 'elephants' },
    };
    const answer = await chat(members, { ...keyed('a-secret-key'), key: rawKey });
    expect(answer.body).toContain('elephants');
    const names = await connection.client.keys(`gateway:idempotency:*{${accountId}}*`);
    expect(names.length).toBeGreaterThan(0);
    const values = await Promise.all(
      names.map(async (name) => JSON.stringify([name, await connection.client.hgetall(name)])),
    );
    for (const plain of ['swordfish', 'elephants', 'a-secret-key', 'chat.completion'])
      expect(values.join()).not.toContain(plain);
    connection.close();
  });

  it('is counted', async () => {
    const metric = (outcome: string) =>
      metricOf(gateway.dataPlanes[0], 'gateway_idempotent_requests_total', { outcome });
    for (const outcome of ['first', 'replayed', 'in_progress', 'mismatch', 'spent'])
      expect(await metric(outcome), outcome).toBeGreaterThan(0);
  });
});

it('without Redis, a request with an Idempotency-Key is refused by name', async () => {
  await using gateway = await startGatewayWithKey();
  const answer = await gateway.chat({}, keyed('a'));
  expect([answer.status, errorOf(answer).code, errorOf(answer).param]).toEqual([
    400,
    'invalid_request',
    'Idempotency-Key',
  ]);
  expect(errorOf(answer).message).toContain('REDIS_URL');
  const cached = await gateway.chat({}, { headers: { 'x-gateway-cache': 'read, write' } });
  expect([cached.status, cached.headers.get('x-gateway-cache')]).toEqual([200, 'bypass']);
});
