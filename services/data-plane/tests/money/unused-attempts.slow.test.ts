import { metricOf, openBooks, postJson, until, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { type FallbackGateway, startFallbackGateway } from '../providers/fallback-gateway.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { settled, startSettlement } from './settlement-fixture.ts';

type Fault = Parameters<FallbackGateway['first']['script']>[0];

const MODELS = ['first/paid', 'second/paid'];
const ASKS = { messages: [{ role: 'user', content: 'What is the capital of France?' }], max_tokens: 40 };
/** Tokens of the prompt with its role, as the gateway estimates them: four bytes each. */
const PROMPT = 9;
/** Nano-USD for the prompt at the price of each provider. */
const FIRST_COST = PROMPT * 1_000;
const SECOND_COST = PROMPT * 3_000;

const pair = withStarted(() => startFallbackGateway({ overrides: withoutBreakers() }));
beforeEach(() => {
  pair.first.clear();
  pair.second.clear();
});

interface StoredAttempt {
  providerId: string;
  estimatedUnits?: { inputTokens: number; outputTokens: number };
  estimatedCost?: string;
  providerRequestId?: string;
}

async function recordOf(response: Pick<Response, 'headers'>) {
  const { attempts, attempts_cost, charged, cost, output_tokens } = await pair.gateway.recordOf(response);
  return { attempts: attempts as StoredAttempt[], attempts_cost, charged, cost, output_tokens };
}

async function ask(further: object = {}) {
  const answer = await pair.gateway.ask('chat/completions', { ...ASKS, models: MODELS, ...further });
  return { answer, record: await recordOf(answer) };
}

/** Opens a stream, leaves it once `isDue` says so, and returns its record. */
async function leave(isDue: (text: string) => boolean) {
  const leaving = new AbortController();
  const before = await idsOfRecords();
  const body = { ...ASKS, model: 'first/paid', stream: true };
  const reading = (async () => {
    const response = await pair.gateway.post('chat/completions', body, { signal: leaving.signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (isDue(text)) leaving.abort();
    }
  })().catch(() => undefined);
  await until(() => pair.first.requests.length === 1);
  if (isDue('')) leaving.abort();
  await reading;
  await until(async () => (await idsOfRecords()).size > before.size);
  const [id = ''] = [...(await idsOfRecords())].filter((each) => !before.has(each));
  return recordOf({ headers: new Headers({ 'x-request-id': id }) });
}

async function idsOfRecords(): Promise<Set<string>> {
  const rows = await pair.gateway.books.query('SELECT request_id FROM usage_records');
  return new Set(rows.map(({ request_id }) => String(request_id)));
}

const costsOf = ({ attempts }: { attempts: StoredAttempt[] }) =>
  attempts.map(({ estimatedCost }) => estimatedCost);

describe.each([false, true])('a request whose first provider fails (stream: %s)', (stream) => {
  it.each<[string, Fault]>([
    ['does not respond in time', { hang: 'before_headers' }],
    ['breaks off before any output', { truncate: { after_events: 0 } }],
    ['sends what is no response', { rubbish: 'html' }],
  ])(
    'costs its payer the same as without it, and its record has an estimate, when it %s',
    async (_, fault) => {
      pair.first.script({ status: 500 });
      const without = await ask({ stream });
      expect(costsOf(without.record)).toEqual([undefined, undefined]);
      expect(without.record.attempts_cost).toBeNull();

      pair.first.script(fault);
      const { answer, record } = await ask({ stream });
      expect(answer.status, answer.body).toBe(200);
      expect(record).toMatchObject({
        charged: without.record.charged,
        cost: without.record.cost,
        attempts_cost: BigInt(FIRST_COST),
      });
      expect(record.attempts).toMatchObject([
        { providerId: 'first', estimatedCost: String(FIRST_COST) },
        { providerId: 'second' },
      ]);
      expect(record.attempts[0]?.estimatedUnits).toMatchObject({ inputTokens: PROMPT, outputTokens: 0 });
      expect(record.attempts[1]).not.toHaveProperty('estimatedUnits');
    },
  );

  it.each<[string, Fault]>([
    ['limits requests', { status: 429 }],
    ['fails with a status', { status: 503 }],
    ['refuses the credential', { status: 401 }],
  ])('has no estimate when it %s', async (_, fault) => {
    pair.first.script(fault);
    const { record } = await ask({ stream });
    expect(record.attempts.length).toBeGreaterThan(1);
    expect(record.attempts.some((attempt) => attempt.estimatedUnits !== undefined)).toBe(false);
    expect(record.attempts_cost).toBeNull();
  });

  it('that no provider answers is free, and has an estimate at the price of each', async () => {
    pair.first.script({ hang: 'before_headers' });
    pair.second.script({ truncate: { after_events: 0 } });
    const { answer, record } = await ask({ stream });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(record.charged).toBe(0n);
    expect(costsOf(record)).toEqual([String(FIRST_COST), String(SECOND_COST)]);
    expect(record.attempts_cost).toBe(BigInt(FIRST_COST + SECOND_COST));
  });
});

describe('a stream that does not come to its end', () => {
  const content = 'word '.repeat(60);

  it('is charged for what was delivered, without an estimate, when its provider breaks off', async () => {
    pair.first.script({ reset: { after_events: 5 }, content });
    const { record } = await ask({ stream: true });
    expect(record.charged).toBeGreaterThan(0n);
    expect(record.output_tokens).toBeGreaterThan(0n);
    expect(costsOf(record)).toEqual([undefined]);
    expect(record.attempts_cost).toBeNull();
  });

  it('is charged for what was delivered, without an estimate, when its caller leaves in the middle', async () => {
    pair.first.script({ hang: { after_events: 5 }, content });
    const record = await leave((text) => text.includes('word'));
    expect(record.charged).toBeGreaterThan(0n);
    expect(costsOf(record)).toEqual([undefined]);
    expect(record.attempts_cost).toBeNull();
  });

  it('is free, with an estimate, when its caller leaves before the provider responds', async () => {
    pair.first.script({ hang: 'before_headers' });
    const record = await leave(() => true);
    expect(record.charged).toBe(0n);
    expect(costsOf(record)).toEqual([String(FIRST_COST)]);
  });
});

it.each([false, true])(
  "attempts have the request id of the provider's response (stream: %s)",
  async (stream) => {
    pair.first.script({ set_cookie: true });
    const named = await ask({ stream });
    expect(named.record.attempts).toMatchObject([{ providerRequestId: 'provider-request-0001' }]);
    const { record } = await ask({ stream });
    expect(record.attempts).toMatchObject([{ providerRequestId: expect.stringMatching(/^req_/) }]);
  },
);

it('the sums of provider cost and the metric contain the estimates, once', async () => {
  const { books, dataPlanes } = pair.gateway;
  await books.query('SELECT roll_up_settlements(1000000)');
  const [sums] = await books.query(
    `SELECT (SELECT sum(provider_cost)::bigint FROM usage_rollups WHERE width = 60) AS rolled_up,
       sum(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0))::bigint AS in_records,
       sum(charged)::bigint AS charged, sum(attempts_cost)::bigint AS attempts
     FROM usage_records`,
  );
  expect(sums?.rolled_up).toBe(sums?.in_records);
  expect(sums?.rolled_up).toBe(BigInt(String(sums?.charged)) + BigInt(String(sums?.attempts)));
  const name = 'gateway_unused_attempts_cost_usd_total';
  expect(await metricOf(dataPlanes[0], name)).toBeCloseTo(Number(sums?.attempts) / 1e9, 12);
  for (const labels of [
    { provider: 'first', reason: 'timeout' },
    { provider: 'first', reason: 'failed' },
    { provider: 'first', reason: 'cut' },
    { provider: 'second', reason: 'failed' },
  ])
    expect(await metricOf(dataPlanes[0], name, labels), JSON.stringify(labels)).toBeGreaterThan(0);
});

// After the sums above: the metric of this data plane ends with it.
it('a stream of a data plane that is killed has the estimate of its failed attempt, not of the running one', async () => {
  const { books, rawKey } = pair.gateway;
  await using plane = await spawnDataPlane(pair.gateway);
  pair.first.script({ hang: 'before_headers' });
  pair.second.script({ content: 'word '.repeat(100), token_delay_ms: 100 });
  const body = { ...ASKS, models: MODELS, max_tokens: 400, stream: true };
  const response = await postJson(plane.baseUrl, rawKey, 'chat/completions', body);
  const checkpoints = () =>
    books.query('SELECT allowance_id, attempts FROM usage_checkpoints WHERE request_id = $1', [
      response.headers.get('x-request-id'),
    ]);
  await until(async () => (await checkpoints()).length > 0);
  const [checkpoint] = await checkpoints();
  expect(costsOf({ attempts: checkpoint?.attempts as StoredAttempt[] })).toEqual([
    String(FIRST_COST),
    undefined,
  ]);
  plane.child.kill('SIGKILL');
  await plane.exit;
  await response.body?.cancel().catch(() => undefined);
  const allowance = [checkpoint?.allowance_id];
  // As if its lease had lapsed.
  await books.query(
    'DELETE FROM key_watchers WHERE instance_id = (SELECT instance_id FROM allowances WHERE id = $1)',
    allowance,
  );
  await books.query('UPDATE allowances SET used_at = now() - interval $$1 min$$ WHERE id = $1', allowance);
  await books.query('SELECT close_expired_allowance($1, $$0 seconds$$)', allowance);
  const record = await recordOf(response);
  expect(record.charged).toBeGreaterThan(0n);
  expect(record.attempts_cost).toBe(BigInt(FIRST_COST));
  expect(costsOf(record)).toEqual([String(FIRST_COST), undefined]);
});

it('a record with estimates that is reported again is summed once', async () => {
  await using settlement = await startSettlement();
  const { gateway, stream } = settlement;
  const request = settled('sim/chat-free');
  const [attempt] = request.attempts;
  if (attempt === undefined) throw new Error('there is no attempt');
  const unused = { ...attempt, outcome: 'failed', estimatedCost: 1_234 } as const;
  const report = { ...request, attempts: [unused, attempt] };
  for (const each of [report, report]) await stream.record(each).committed;
  await using books = openBooks(gateway.databaseUrl);
  await books.query('SELECT roll_up_settlements(1000000)');
  const sums = await books.query('SELECT provider_cost, charged FROM usage_rollups WHERE width = 60');
  expect(sums).toEqual([{ provider_cost: 1_234n, charged: 0n }]);
});

describe('a response of another capability that breaks off', () => {
  const gateway = withGateway();

  it.each<[path: string, asks: object, units: object, nanoUsd: bigint]>([
    ['embeddings', { model: 'sim/embed-pro', input: 'a lighthouse' }, { inputTokens: 3 }, 300n],
    [
      'rerank',
      { model: 'sim/rerank-pro', query: 'light', documents: Array(150).fill('a house') },
      { searchUnits: 2 },
      4_000_000n,
    ],
    [
      'images/generations',
      { model: 'sim/image-pro', prompt: 'a lighthouse', n: 3 },
      { images: 3 },
      120_000_000n,
    ],
    ['audio/speech', { model: 'sim/speech-pro', input: 'Hello', voice: 'alloy' }, { characters: 5 }, 75_000n],
  ])('is free for its payer, and may be billed for its request: %s', async (path, asks, units, nanoUsd) => {
    gateway.provider.script({ reset: 'after_headers' });
    const answer = await gateway.ask(path, asks);
    expect(answer.status).toBe(502);
    const { attempts, attempts_cost, charged } = await gateway.recordOf(answer);
    expect({ attempts_cost, charged }).toEqual({ attempts_cost: nanoUsd, charged: 0n });
    expect(attempts).toMatchObject([{ estimatedUnits: units, estimatedCost: String(nanoUsd) }]);
  });
});
