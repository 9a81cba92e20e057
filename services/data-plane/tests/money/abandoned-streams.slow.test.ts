import type { ServerResponse } from 'node:http';
import {
  modelEntry,
  postJson,
  providerEntry,
  until,
  usageOf,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askResponses, responseOf } from '../endpoints/ask-responses.ts';
import {
  json,
  type ReceivedRequest,
  type Respond,
  startScriptedProvider,
} from '../providers/scripted-provider.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

const PAID = 'acme/paid';
const FREE = 'acme/free';
/** Its second provider does not speak Responses. */
const MIXED = 'acme/mixed';
const RUNNING = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'in_progress',
  model: 'theirs',
  output: [],
  usage: null,
};
const PRICES = { input_per_million_usd: '1', output_per_million_usd: '2' };
const USAGE = { input_tokens: 100, output_tokens: 200, total_tokens: 300 };
const COST = 100n * 1_000n + 200n * 2_000n;
const TEXT = { type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(400) }] };
const ENDED = { ...RUNNING, status: 'completed', output: [TEXT], usage: USAGE };
const CREATED = { type: 'response.created', sequence_number: 0, response: RUNNING };
/** Sixty tokens, as they are estimated. */
const DELTA = {
  type: 'response.output_text.delta',
  sequence_number: 1,
  output_index: 0,
  delta: 'hello '.repeat(40),
};
const NOT_FOUND = JSON.stringify({ error: { message: 'not found', type: 'invalid_request_error' } });
/** A data plane that soon gives up polling the provider. */
let quickToGiveUp: string;
/** How the provider answers a POST, and each poll of the response; the last answer repeats. */
let creates: Respond;
let states: Respond[];

const state = (response: object): Respond => json(200, JSON.stringify(response));

const provider = withStarted(() =>
  startScriptedProvider((res, request) => {
    if (request.method === 'POST') return creates(res, request);
    if (request.method === 'DELETE') {
      states = [json(404, NOT_FOUND)];
      return json(200, '{"id":"resp_1","object":"response","deleted":true}')(res, request);
    }
    const [answer] = states.length > 1 ? states.splice(0, 1) : states;
    return answer?.(res, request);
  }),
);
const spare = withStarted(() => startScriptedProvider());
const polling = { firstMs: 5, maxMs: 20, unknownMs: 600, giveUpMs: 60_000, adoptMs: 50 };
const overrides = { background: polling };
const gateway = withGateway(() => {
  const atProvider = (id: string, base_url: string, apis: ('chat' | 'responses')[] = ['chat', 'responses']) =>
    withoutCredential(providerEntry(id, base_url, { apis }));
  const model = (id: string, more: object, second = 'spare') =>
    modelEntry(id, { acme: 'theirs', [second]: 'theirs' }, { max_output_tokens: 1_000, ...more });
  return {
    ownPools: true,
    overrides,
    document: () => ({
      providers: [
        atProvider('acme', provider.baseUrl),
        atProvider('spare', spare.baseUrl),
        atProvider('plain', spare.baseUrl, ['chat']),
      ],
      models: [
        model(FREE, {}),
        model(PAID, { tier: 'paid', pricing: PRICES }),
        model(MIXED, { tier: 'paid', pricing: PRICES }, 'plain'),
      ],
    }),
  };
});
beforeAll(async () => {
  overrides.background = { ...polling, giveUpMs: 300, adoptMs: 60_000 };
  quickToGiveUp = `http://127.0.0.1:${(await gateway.startDataPlane()).port}`;
  overrides.background = polling;
});
beforeEach(async () => {
  // All responses of this provider have the same id.
  await gateway.books.query('DELETE FROM deleted_responses');
  provider.received.length = 0;
  spare.received.length = 0;
  creates = streams(CREATED);
  states = [state(RUNNING)];
});

const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

/** A stream that has come so far, and stays open. */
function streams(...events: object[]): Respond {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(events.map(line).join(''));
  };
}

async function payer() {
  const { keyId: id, rawKey } = await payingKey(gateway, '1');
  return { id, rawKey };
}

const REQUEST = { model: PAID, input: 'hi', max_output_tokens: 500, stream: true };
const polls = (): ReceivedRequest[] => provider.received.filter(({ method }) => method === 'GET');
const isHeld = async () => (await gateway.books.pools()).some(({ held }) => held > 0n);
const billOf = (requestId: string) => usageOf(gateway.books, requestId);
/** Bills by what was delivered, and by what the provider counted. */
const DELIVERED = { usage_source: 'estimated', output_tokens: 60n };
const COUNTED = { charged: COST, usage_source: 'provider' };
const recordsOf = (requestId: string) =>
  gateway.books.query('SELECT 1 FROM usage_records WHERE request_id = $1', [requestId]);

/** The bill of a request that is charged all that was reserved. */
async function reserved(requestId: string) {
  const { held } = await billOf(requestId);
  return { usage_source: 'estimated', charged: BigInt(String(held)) };
}

/** Waits for the report that replaces a provisional one. */
async function finalBillOf(requestId: string) {
  await until(async () => (await billOf(requestId)).is_provisional === false);
  return await billOf(requestId);
}

async function checkpointsOf(requestId: string) {
  const find = () =>
    gateway.books.query('SELECT allowance_id FROM usage_checkpoints WHERE request_id = $1', [requestId]);
  await until(async () => (await find()).length > 0);
  return await find();
}

interface Left {
  rawKey: string;
  keyId: string;
  requestId: string;
  /** Id of the response, as its caller knows it. */
  id: string;
  leave: () => void;
  /** Resolves when the connection has ended. */
  ended: Promise<void>;
}

/** Opens a stream and reads it up to a word of it. */
async function open(
  more: object = {},
  { upTo = 'response.created', baseUrl = gateway.baseUrl } = {},
): Promise<Left> {
  const { id: keyId, rawKey } = await payer();
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await postJson(baseUrl, rawKey, 'responses', { ...REQUEST, ...more }, { signal });
  expect(response.status).toBe(200);
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  let text = '';
  while (!text.includes(upTo)) text += Buffer.from((await reader.read()).value ?? []).toString();
  return {
    rawKey,
    keyId,
    requestId: response.headers.get('x-request-id') ?? '',
    id: /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '',
    leave: () => leaving.abort(),
    ended: (async () => {
      try {
        while (!(await reader.read()).done);
      } catch {
        // It was broken off.
      }
    })(),
  };
}

/** Opens a stream and leaves it. */
async function left(more: object = {}, upTo?: string): Promise<Left> {
  const stream = await open(more, upTo === undefined ? {} : { upTo });
  stream.leave();
  return stream;
}

describe('a paid stream that its provider stores, and that its caller leaves', () => {
  it('a left stream costs what its provider counts, once, when the provider finishes it', async () => {
    const { id, rawKey, requestId } = await left();
    await until(() => Promise.resolve(polls().length > 3));
    expect(await isHeld()).toBe(true);
    expect(await recordsOf(requestId)).toEqual([]);
    states = [state(ENDED)];
    const read = await askResponses(gateway, rawKey, { path: `/${id}` });
    expect(responseOf(read)).toMatchObject({ id, status: 'completed' });
    expect(await billOf(requestId)).toMatchObject({
      charged: COST,
      usage_source: 'provider',
      billing_reason: 'completed',
    });
    await expectLedgerAgrees(gateway);
    expect(await recordsOf(requestId)).toHaveLength(1);
    const asked = polls().length;
    expect((await askResponses(gateway, rawKey, { path: `/${id}` })).status).toBe(200);
    expect(polls()).toHaveLength(asked + 1);
  });

  it.each([
    ['cancelled', { ...RUNNING, status: 'cancelled' }],
    ['incomplete', { ...RUNNING, status: 'incomplete' }],
    ['failed', { ...RUNNING, status: 'failed', error: { code: 'server_error' } }],
  ])('a left stream costs what was delivered when its provider reports it %s', async (_name, ended) => {
    creates = streams(CREATED, DELTA);
    states = [state(RUNNING), state(ended)];
    const { requestId } = await left({}, 'hello');
    expect(await billOf(requestId)).toMatchObject({
      usage_source: 'estimated',
      output_tokens: 60n,
      billing_reason: 'aborted_partial',
    });
  });

  it('a left stream costs its prompt when its provider stops before any output', async () => {
    states = [state({ ...RUNNING, status: 'cancelled' })];
    const { requestId } = await left();
    expect(await billOf(requestId)).toMatchObject({ charged: 1_000n, output_tokens: 0n });
  });

  it.each(['cancelled', 'completed'])(
    'a left stream costs its stored output when it is %s without usage',
    async (status) => {
      states = [state({ ...ENDED, status, usage: null })];
      const { requestId } = await left();
      const { charged, held, ...bill } = await billOf(requestId);
      expect(bill).toMatchObject({ usage_source: 'estimated', output_tokens: 100n });
      expect(charged).toBeLessThan(BigInt(String(held)));
    },
  );

  it('a left stream never costs more than its reservation, however long its output', async () => {
    const long = { ...TEXT, content: [{ type: 'output_text', text: 'x'.repeat(9_000_000) }] };
    states = [state({ ...ENDED, output: [long], usage: null })];
    const { requestId } = await left();
    const { charged, held, output_tokens } = await billOf(requestId);
    expect(output_tokens).toBe(500n);
    expect(charged).toBeLessThanOrEqual(BigInt(String(held)));
  });

  it.each([
    ['does not keep it', json(404, NOT_FOUND)],
    ['has no such route', json(404, '{"detail":"Not Found"}')],
    ['takes no such question', json(405, '')],
  ])('a left stream costs what was delivered when its provider %s', async (_name, answer) => {
    creates = streams(CREATED, DELTA);
    states = [answer];
    const { requestId } = await left({}, 'hello');
    expect(await billOf(requestId)).toMatchObject(DELIVERED);
    expect(polls().length).toBeGreaterThan(1);
  });

  it.each<[string, Respond]>([
    ['cannot be reached', (res) => res.destroy()],
    ['fails', json(500, '')],
  ])(
    'a left stream costs what was delivered when its provider %s until polling ends',
    async (_name, answer) => {
      creates = streams(CREATED, DELTA);
      states = [answer];
      const { leave, requestId } = await open({}, { upTo: 'hello', baseUrl: quickToGiveUp });
      leave();
      expect(await billOf(requestId)).toMatchObject(DELIVERED);
      expect(polls().length).toBeGreaterThan(1);
    },
  );

  it('a left stream costs its reservation when its provider still works on it after polling ends', async () => {
    creates = streams(CREATED, DELTA);
    const { leave, requestId } = await open({}, { upTo: 'hello', baseUrl: quickToGiveUp });
    leave();
    expect(await billOf(requestId)).toMatchObject(await reserved(requestId));
  });

  it('a left stream is polled again when its provider stores it late', async () => {
    const missing = json(404, NOT_FOUND);
    states = [missing, missing, state(RUNNING), missing, state(ENDED)];
    const { requestId } = await left();
    expect(await billOf(requestId)).toMatchObject({ charged: COST });
  });

  it('a left stream costs its reservation when it ran and is deleted before anybody counted', async () => {
    states = [state(RUNNING), json(404, NOT_FOUND)];
    const { requestId } = await left();
    expect(await billOf(requestId)).toMatchObject(await reserved(requestId));
  });

  it.each(['this', 'another'])(
    'an open stream costs what its provider counted before its caller deletes it at %s data plane, and leaves',
    async (where) => {
      const plane = await gateway.startDataPlane();
      const { id, leave, rawKey, requestId } = await open();
      states = [state(ENDED)];
      const at = { baseUrl: where === 'this' ? gateway.baseUrl : `http://127.0.0.1:${plane.port}` };
      expect((await askResponses(at, rawKey, { path: `/${id}` })).status).toBe(200);
      const deleted = await askResponses(at, rawKey, { method: 'DELETE', path: `/${id}` });
      expect(deleted.status, deleted.body).toBe(200);
      leave();
      expect(await billOf(requestId)).toMatchObject(COUNTED);
      await plane.close();
    },
  );

  it('an open stream costs its reservation when its caller deletes it before anybody counted, and leaves', async () => {
    const { id, leave, rawKey, requestId } = await open();
    const deleted = await askResponses(gateway, rawKey, { method: 'DELETE', path: `/${id}` });
    expect(deleted.status, deleted.body).toBe(200);
    leave();
    expect(await billOf(requestId)).toMatchObject(await reserved(requestId));
  });

  it('a response is not deleted while no control plane can record it', async () => {
    const { id, leave, rawKey } = await open();
    await gateway.books.query('ALTER TABLE deleted_responses RENAME TO away');
    const refused = await askResponses(gateway, rawKey, { method: 'DELETE', path: `/${id}` });
    await gateway.books.query('ALTER TABLE away RENAME TO deleted_responses');
    expect(refused.status).toBe(503);
    expect(provider.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
    states = [state(ENDED)];
    leave();
  });

  it('a left stream costs what its provider counted before its caller deletes it', async () => {
    const { id, rawKey, requestId } = await left();
    await until(() => Promise.resolve(polls().length > 0));
    states = [state(ENDED)];
    const deleted = await askResponses(gateway, rawKey, { method: 'DELETE', path: `/${id}` });
    expect(deleted.status, deleted.body).toBe(200);
    expect(await billOf(requestId)).toMatchObject(COUNTED);
  });

  it('a left stream costs what its provider counts when its caller cancels it', async () => {
    const cancelled = {
      ...ENDED,
      status: 'cancelled',
      usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    };
    const { id, rawKey, requestId } = await left();
    creates = (res, request) => {
      states = [state(cancelled)];
      state(cancelled)(res, request);
    };
    const answer = await askResponses(gateway, rawKey, { method: 'POST', path: `/${id}/cancel` });
    expect(responseOf(answer)).toMatchObject({ status: 'cancelled' });
    expect(await billOf(requestId)).toMatchObject({
      charged: 100n * 1_000n + 20n * 2_000n,
      usage_source: 'provider',
    });
  });
});

describe('a paid stream that its provider stores, and that breaks off', () => {
  it.each<[string, (res: ServerResponse) => unknown]>([
    ['breaks', (res) => res.destroy()],
    ['ends', (res) => res.end()],
    ['becomes rubbish', (res) => res.write('data: {\n\n')],
  ])(
    'a broken stream costs what its provider counts when its connection %s and the provider finishes it',
    async (_name, end) => {
      let breakOff: () => unknown = () => undefined;
      creates = (res, request) => {
        streams(CREATED, DELTA)(res, request);
        breakOff = () => end(res);
      };
      const { ended, requestId } = await open({}, { upTo: 'hello' });
      breakOff();
      await ended;
      states = [state(RUNNING), state(ENDED)];
      expect(await billOf(requestId)).toMatchObject(COUNTED);
      expect(spare.received).toEqual([]);
    },
  );

  it('a broken stream costs what its provider counts when its key is revoked', async () => {
    const { ended, keyId, requestId } = await open();
    await gateway.revokeKey(keyId);
    await ended;
    states = [state(ENDED)];
    expect(await billOf(requestId)).toMatchObject(COUNTED);
  });

  it('a broken stream costs what its provider counts when its data plane stops', async () => {
    const plane = await gateway.startDataPlane({ DRAIN_TIMEOUT_MS: '100' });
    creates = streams(CREATED, DELTA);
    const stream = await open({}, { upTo: 'hello', baseUrl: `http://127.0.0.1:${plane.port}` });
    await plane.close();
    await stream.ended;
    expect(await billOf(stream.requestId)).toMatchObject({ ...DELIVERED, is_provisional: true });
    states = [state(ENDED)];
    expect(await finalBillOf(stream.requestId)).toMatchObject(COUNTED);
  });

  it('a left stream costs what its provider counts when its data plane stops while polling', async () => {
    const plane = await gateway.startDataPlane();
    creates = streams(CREATED, DELTA);
    const stream = await open({}, { upTo: 'hello', baseUrl: `http://127.0.0.1:${plane.port}` });
    stream.leave();
    await until(() => Promise.resolve(polls().length > 0));
    await plane.close();
    expect(await billOf(stream.requestId)).toMatchObject({ ...DELIVERED, is_provisional: true });
    states = [state(ENDED)];
    expect(await finalBillOf(stream.requestId)).toMatchObject(COUNTED);
  });

  it.each([
    ['an open stream', false, DELIVERED],
    ['a left stream', true, DELIVERED],
  ])(
    '%s costs what its provider counts, once, when its data plane falls silent',
    async (_name, leaves, sofar) => {
      const plane = await gateway.startDataPlane({ DRAIN_TIMEOUT_MS: '100' });
      creates = streams(CREATED, DELTA);
      const stream = await open({}, { upTo: 'hello', baseUrl: `http://127.0.0.1:${plane.port}` });
      if (leaves) stream.leave();
      const [checkpoint] = await checkpointsOf(stream.requestId);
      // As if its lease had lapsed.
      await gateway.books.query(
        'UPDATE key_watchers SET lease_until = now() - interval $$1 min$$ WHERE instance_id = (SELECT instance_id FROM allowances WHERE id = $1)',
        [checkpoint?.allowance_id],
      );
      await gateway.books.query('UPDATE allowances SET used_at = now() - interval $$1 min$$ WHERE id = $1', [
        checkpoint?.allowance_id,
      ]);
      await gateway.books.query('SELECT close_expired_allowance($1, $$0 seconds$$)', [
        checkpoint?.allowance_id,
      ]);
      expect(await billOf(stream.requestId)).toMatchObject({ ...sofar, is_provisional: true });
      states = [state(ENDED)];
      expect(await finalBillOf(stream.requestId)).toMatchObject(COUNTED);
      await plane.close();
      expect(await billOf(stream.requestId)).toMatchObject(COUNTED);
      expect(await recordsOf(stream.requestId)).toHaveLength(1);
    },
  );
});

it('a plain response that is only queued costs what its provider counts in the end', async () => {
  creates = state({ ...RUNNING, status: 'queued' });
  const { rawKey } = await payer();
  const answer = await gateway.post('responses', { ...REQUEST, stream: false }, { key: rawKey });
  expect(await answer.json()).toMatchObject({ status: 'queued' });
  states = [state(RUNNING), state(ENDED)];
  const bill = await gateway.recordOf(answer);
  expect(bill).toMatchObject({ charged: COST, usage_source: 'provider' });
});

describe('responses that are not polled', () => {
  it('a stream with store: false costs what was delivered, at once, without a poll', async () => {
    creates = streams(CREATED, DELTA);
    const { requestId } = await left({ store: false }, 'hello');
    expect(await billOf(requestId)).toMatchObject(DELIVERED);
    expect(polls()).toEqual([]);
  });

  it('a stream that has ended is not polled', async () => {
    creates = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(line(CREATED) + line({ type: 'response.completed', response: ENDED }));
    };
    const { ended, requestId } = await open();
    await ended;
    expect(await billOf(requestId)).toMatchObject({ charged: COST });
    expect(polls()).toEqual([]);
  });

  it.each([true, false])(
    'a counted response with an outdated status is not polled; streamed: %s',
    async (stream) => {
      const behind = { ...ENDED, status: 'in_progress' };
      creates = (res, request) => {
        if (!stream) return state(behind)(res, request);
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(line(CREATED) + line({ type: 'response.completed', response: behind }));
      };
      const { rawKey } = await payer();
      const answer = await gateway.post('responses', { ...REQUEST, stream }, { key: rawKey });
      await answer.text();
      const bill = await gateway.recordOf(answer);
      expect(bill).toMatchObject({ charged: COST });
      expect(polls()).toEqual([]);
    },
  );

  it('a stream of a free model is not polled', async () => {
    const { requestId } = await left({ model: FREE });
    await billOf(requestId);
    expect(polls()).toEqual([]);
  });

  it('a plain response whose caller leaves is not polled, as nobody has its id', async () => {
    const { rawKey } = await payer();
    const leaving = new AbortController();
    creates = () => leaving.abort();
    const body = { ...REQUEST, stream: false };
    await expect(gateway.post('responses', body, { key: rawKey, signal: leaving.signal })).rejects.toThrow();
    await until(
      async () =>
        (await gateway.books.query('SELECT 1 FROM usage_records WHERE client_status = 499')).length > 0,
    );
    const [row] = await gateway.books.query('SELECT * FROM usage_records WHERE client_status = 499');
    // The provider has not responded within READ_ON_MS.
    expect(row).toMatchObject({ usage_source: 'estimated', input_tokens: 1n });
    expect(polls()).toEqual([]);
  });

  /** Its beginning goes out with what follows it, and that is none. */
  const begunInVain: Respond = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(`${line(CREATED)}data: {\n\n`);
  };

  it('a response that one provider began unseen is not polled', async () => {
    creates = begunInVain;
    spare.respond = begunInVain;
    const { rawKey } = await payer();
    const refused = await gateway.post('responses', REQUEST, { key: rawKey });
    expect(refused.status).toBe(502);
    const bill = await gateway.recordOf(refused);
    expect(bill).toMatchObject({ charged: 0n });
    expect([...provider.received, ...spare.received].map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('a response that one provider began and one of another API answered is not polled', async () => {
    creates = begunInVain;
    spare.respond = streams({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: DELTA.delta } }],
    });
    const { requestId } = await left({ model: MIXED }, 'hello');
    expect(await billOf(requestId)).toMatchObject(DELIVERED);
    expect(polls()).toEqual([]);
  });

  it('a response that one provider began and another answered is not polled', async () => {
    creates = begunInVain;
    spare.respond = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(line(CREATED) + line({ type: 'response.completed', response: ENDED }));
    };
    const { ended, requestId } = await open();
    await ended;
    expect(await billOf(requestId)).toMatchObject({ charged: COST });
    creates = (res, request) => json(500, '')(res, request);
    spare.respond = (res, request) =>
      (request.method === 'GET' ? state(ENDED) : streams(CREATED, DELTA))(res, request);
    const stream = await open({}, { upTo: 'hello' });
    stream.leave();
    expect(await billOf(stream.requestId)).toMatchObject({ charged: COST });
    expect(polls()).toEqual([]);
  });
});

it('left streams leave no reserved money, and the ledger agrees', async () => {
  await expectLedgerAgrees(gateway);
});
