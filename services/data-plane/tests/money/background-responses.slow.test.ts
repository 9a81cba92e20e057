import {
  addPool,
  modelEntry,
  type TestGateway,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { answerBudgetBounds, createAnswerBudget } from '../../src/memory/answer-budget.ts';
import { askResponses, responseOf } from '../endpoints/ask-responses.ts';
import {
  json,
  type ReceivedRequest,
  type Respond,
  startScriptedProvider,
} from '../providers/scripted-provider.ts';
import { expectLedgerAgrees } from './money-fixture.ts';

const MODEL = 'acme/paid';
const QUEUED = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'queued',
  model: 'theirs',
  output: [],
  usage: null,
};
const USAGE = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
const COST = 100n * 1_000n + 10n * 2_000n;
const ENDED = { ...QUEUED, status: 'completed', usage: USAGE };
/** States that the provider reports, one for each poll; the last one from then on. */
let states: object[];
let creates: Respond;
/** Replaces the states. */
let answers: Respond | undefined;
const answerBudget = createAnswerBudget(answerBudgetBounds(512 * 1024 ** 2));

const provider = withStarted(() =>
  startScriptedProvider((res, request) => {
    if (request.method === 'POST') return creates(res, request);
    if (answers !== undefined) return answers(res, request);
    const [state = {}] = states.length > 1 ? states.splice(0, 1) : states;
    return json(Object.keys(state).length === 1 ? 404 : 200, JSON.stringify(state))(res, request);
  }),
);
const gateway = withGateway(() => ({
  ownPools: true,
  overrides: {
    answerBudget,
    background: { firstMs: 5, maxMs: 20, unknownMs: 30, giveUpMs: 60_000, adoptMs: 50 },
  },
  document: () => ({
    providers: [
      {
        id: 'acme',
        name: 'Acme',
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
        base_url: provider.baseUrl,
      },
    ],
    models: [
      modelEntry(
        MODEL,
        { acme: 'theirs' },
        {
          tier: 'paid',
          max_output_tokens: 1_000,
          pricing: { input_per_million_usd: '1', output_per_million_usd: '2' },
        },
      ),
    ],
  }),
}));
beforeEach(() => {
  provider.received.length = 0;
  creates = json(200, JSON.stringify(QUEUED));
  states = [QUEUED];
  answers = undefined;
});

async function payer(): Promise<string> {
  const { rawKey, accountId } = await gateway.createKey();
  await addPool(gateway.admin, { kind: 'account', id: accountId }, '1');
  return rawKey;
}

const ask = async (more: object = {}, at: Pick<TestGateway, 'baseUrl'> = gateway) =>
  await askResponses(at, await payer(), {
    body: { model: MODEL, input: 'hi', background: true, max_output_tokens: 500, ...more },
  });
const billOf = (headers: Headers) => gateway.recordOf({ headers });
const polls = (): ReceivedRequest[] => provider.received.filter(({ method }) => method === 'GET');
/** Opens a stream in the background and reads it up to a word of it. */
async function openStream(upTo: string) {
  const leaving = new AbortController();
  const body = { model: MODEL, input: 'hi', background: true, stream: true };
  const response = await gateway.post('responses', body, { key: await payer(), signal: leaving.signal });
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes(upTo)) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  return { headers: response.headers, leave: () => leaving.abort() };
}
const isHeld = async () => (await gateway.books.pools()).some(({ held }) => held > 0n);

describe('a paid response in the background', () => {
  it('a background response is answered at once, and costs what its provider counts in the end', async () => {
    const answer = await ask();
    expect(responseOf(answer)).toMatchObject({ status: 'queued', model: MODEL });
    await until(() => Promise.resolve(polls().length > 3));
    expect(await isHeld()).toBe(true);
    expect(
      await gateway.books.query('SELECT 1 FROM usage_records WHERE request_id = $1', [
        answer.headers.get('x-request-id'),
      ]),
    ).toEqual([]);
    states = [{ ...QUEUED, status: 'in_progress' }, ENDED];
    expect(await billOf(answer.headers)).toMatchObject({
      charged: COST,
      usage_source: 'provider',
      billing_reason: 'completed',
    });
    expect(polls()[0]?.url).toBe('/v1/responses/resp_1');
  });

  it('a background response is polled again after a failed poll, and is free when it failed itself', async () => {
    const answer = await ask();
    states = [
      { nonsense: 1, more: 2 },
      { ...QUEUED, status: 'failed', error: { code: 'server_error' } },
    ];
    expect(await billOf(answer.headers)).toMatchObject({ charged: 0n });
  });

  it('a background response costs what its provider counts, however large it is', async () => {
    const many = Array.from({ length: 5_000 }, () => ({ type: 'reasoning', summary: [], content: [] }));
    const picture = { type: 'image_generation_call', result: 'A'.repeat(9_000_000) };
    const { headers } = await ask();
    states = [{ ...ENDED, output: [{ type: 'shell_call' }, picture, ...many] }];
    expect(await billOf(headers)).toMatchObject({ charged: COST, usage_source: 'provider' });
  });

  it.each([
    ['its caller has deleted it', { error: { message: 'not found' } }],
    ['its provider has not counted', { ...QUEUED, status: 'completed' }],
  ])('a background response is charged its reservation, as an estimate, when %s', async (_name, state) => {
    states = [state];
    const { headers } = await ask();
    const { charged, held, usage_source } = await billOf(headers);
    expect(usage_source).toBe('estimated');
    expect(charged).toBe(BigInt(String(held)));
  });

  it('a background response is handed over when its data plane stops, and costs what its provider counts', async () => {
    const plane = await gateway.startDataPlane();
    const { headers } = await ask({}, { baseUrl: `http://127.0.0.1:${plane.port}` });
    await until(() => Promise.resolve(polls().length > 0));
    await plane.close();
    const { charged, held, is_provisional, usage_source } = await billOf(headers);
    expect([usage_source, charged, is_provisional]).toEqual(['estimated', BigInt(String(held)), true]);
    const asked = polls().length;
    await until(() => Promise.resolve(polls().length > asked));
    states = [ENDED];
    await until(async () => (await billOf(headers)).is_provisional === false);
    expect(await billOf(headers)).toMatchObject({
      cost: COST,
      charged: COST,
      usage_source: 'provider',
      output_tokens: 10n,
      billing_reason: 'completed',
    });
    expect(await gateway.books.query('SELECT 1 FROM followed_responses')).toEqual([]);
  });

  it("a background response is polled with no header of its caller but the provider's own", async () => {
    const key = await payer();
    const response = await fetch(`${gateway.baseUrl}/v1/responses`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'openai-beta': 'responses=v1',
        'x-mine': 'secret',
      },
      body: JSON.stringify({ model: MODEL, input: 'hi', background: true }),
    });
    states = [ENDED];
    await billOf(response.headers);
    const [poll] = polls();
    expect(poll?.headers).toMatchObject({ 'openai-beta': 'responses=v1' });
    expect(poll?.headers).not.toHaveProperty('x-mine');
  });

  it('polling a large background response takes memory of the budget, and gives it back', async () => {
    const body = JSON.stringify({ ...ENDED, output: [{ type: 'image', result: 'A'.repeat(3_000_000) }] });
    let finish: () => unknown = () => undefined;
    answers = (res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      res.write(body.slice(0, 1_000));
      finish = () => res.end(body.slice(1_000));
    };
    const { headers } = await ask();
    await until(() => Promise.resolve(answerBudget.usedBytes >= body.length));
    finish();
    expect(await billOf(headers)).toMatchObject({ charged: COST });
    expect(answerBudget.usedBytes).toBe(0);
  });

  it('a key has at most 100 responses that run on, and then gets 429 by name', async () => {
    const key = await payer();
    const body = { model: MODEL, input: 'hi', background: true, max_output_tokens: 1 };
    for (let left = 100; left > 0; left -= 25) {
      const asked = Array.from({ length: 25 }, () => gateway.post('responses', body, { key }));
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    }
    const refused = await gateway.post('responses', body, { key });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining('100 responses that run in') },
    });
    expect(
      (await gateway.post('responses', { ...body, background: false, store: false }, { key })).status,
    ).toBe(200);
    expect((await ask()).status).toBe(200);
    states = [ENDED];
    await until(async () => !(await isHeld()));
  });

  it('a background response is charged as an estimate when its caller leaves before its id is known', async () => {
    const leave = new AbortController();
    creates = () => leave.abort();
    const body = { model: MODEL, input: 'hi', background: true };
    const options = { key: await payer(), signal: leave.signal };
    await expect(gateway.post('responses', body, options)).rejects.toThrow();
    const left = () => gateway.books.query('SELECT * FROM usage_records WHERE client_status = 499');
    await until(async () => (await left()).length > 0);
    const [row] = await left();
    expect(row).toMatchObject({ usage_source: 'estimated', charged: row?.held });
  });
});

describe('a paid response in the background, streamed', () => {
  const created = { type: 'response.created', response: QUEUED };
  const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

  it('a streamed background response costs what its last event counts, without a poll', async () => {
    creates = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(line(created) + line({ type: 'response.completed', response: ENDED }));
    };
    const { headers } = await ask({ stream: true });
    expect(await billOf(headers)).toMatchObject({ charged: COST, usage_source: 'provider' });
    expect(polls()).toEqual([]);
  });

  it('a streamed background response costs what its provider counts after its caller left', async () => {
    creates = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(line(created));
    };
    const { headers, leave } = await openStream('created');
    leave();
    await until(() => Promise.resolve(polls().length > 0));
    states = [ENDED];
    expect(await billOf(headers)).toMatchObject({ charged: COST, usage_source: 'provider' });
  });

  it('a streamed background response that fails later costs what its caller had received', async () => {
    const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'hello '.repeat(40) };
    creates = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(line(created) + line(delta));
    };
    const { headers, leave } = await openStream('hello');
    leave();
    await until(() => Promise.resolve(polls().length > 0));
    states = [{ ...QUEUED, status: 'failed', error: { code: 'server_error' } }];
    expect(await billOf(headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 60n });
  });
});

it('background responses leave no reserved money, and the ledger agrees', async () => {
  await expectLedgerAgrees(gateway);
});
