import {
  chatBody,
  envelopeOf,
  openBooks,
  postJson,
  simulatedCatalog,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

/** Longer than any test may take. */
const NEVER_MS = 3_600_000;
/** Longer than a short time-out, on a busy machine too. */
const DELAY_MS = 2_400;
/** Long enough for the headers of a provider that sends them at once. */
const SHORT_MS = 800;

type Timeouts = Partial<Record<'connect' | 'first_byte' | 'first_byte_plain' | 'idle' | 'total', number>>;

/** The name of the model that has a second upstream. */
const SPARED = 'spared';
const SPARE = { provider: 'sim', model: 'sim-chat-pro', priority: 2 };

/** A gateway with one provider and a chat model for each set of time-outs. */
function gatewayWith(ofProvider: Timeouts, models: Record<string, Timeouts>, minAttempts?: number) {
  return startGateway({
    document: (baseUrl) => {
      const document = simulatedCatalog(baseUrl);
      const chat = document.models.filter(({ id }) => id === 'sim/chat-free');
      return {
        providers: document.providers.map((provider) => ({ ...provider, timeouts_ms: ofProvider })),
        models: Object.entries(models).flatMap(([name, timeouts_ms]) =>
          chat.map((model) => ({
            ...model,
            id: `sim/${name}`,
            timeouts_ms,
            upstreams: name === SPARED ? [...model.upstreams, SPARE] : model.upstreams,
          })),
        ),
      };
    },
    overrides: { breakers: new ProviderBreakers(minAttempts ?? Number.POSITIVE_INFINITY) },
  });
}

async function chat(gateway: TestGateway, rawKey: string, model: string, more: object = {}) {
  const startedAtMs = performance.now();
  const response = await postJson(
    gateway.baseUrl,
    rawKey,
    'chat/completions',
    chatBody({ model: `sim/${model}`, ...more }),
  );
  const body = await response.text();
  return { status: response.status, body, tookMs: performance.now() - startedAtMs };
}

describe('the timeouts of a response that is not streamed', () => {
  let gateway: TestGateway;
  let rawKey: string;

  beforeAll(async () => {
    gateway = await gatewayWith(
      { first_byte_plain: SHORT_MS, total: NEVER_MS },
      {
        'as-provider': {},
        bounded: { total: SHORT_MS + 500 },
        patient: { first_byte_plain: NEVER_MS },
        'stream-too': { first_byte: SHORT_MS },
        [SPARED]: { total: SHORT_MS + 500 },
      },
    );
    ({ rawKey } = await gateway.createKey());
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.provider.clear());

  it('a response must begin within first_byte_plain, long before it must be complete', async () => {
    const answer = await chat(gateway, rawKey, 'as-provider', { simulate: { hang: 'before_headers' } });
    expect(answer.status).toBe(504);
    expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code: 'upstream_timeout' });
  });

  it('a response that has begun has until total, counted from its start', async () => {
    const answer = await chat(gateway, rawKey, 'bounded', { simulate: { hang: 'after_headers' } });
    expect(answer.status).toBe(504);
    expect(answer.tookMs).toBeGreaterThan(SHORT_MS + 400);
    expect(gateway.logText()).toContain(
      `the answer had begun, and took longer than ${SHORT_MS + 500} ms in all`,
    );
  });

  it('a late response is asked of the next upstream, and one that is too long of no other', async () => {
    const late = await chat(gateway, rawKey, SPARED, { simulate: { hang: 'before_headers' } });
    expect({ status: late.status, asked: gateway.provider.requests.length }).toEqual({
      status: 504,
      asked: 2,
    });
    gateway.provider.clear();
    const long = await chat(gateway, rawKey, SPARED, { simulate: { hang: 'after_headers' } });
    expect({ status: long.status, asked: gateway.provider.requests.length }).toEqual({
      status: 504,
      asked: 1,
    });
    expect(envelopeOf(long).message).toContain('Stream it, or ask for a shorter one.');
  });

  it('a model may allow more time than its provider', async () => {
    const answer = await chat(gateway, rawKey, 'patient', { simulate: { delay_ms: DELAY_MS } });
    expect(answer.status, answer.body).toBe(200);
  });

  it('streams have a timeout of their own', async () => {
    const late = { stream: true, simulate: { delay_ms: DELAY_MS } };
    expect((await chat(gateway, rawKey, 'as-provider', late)).status).toBe(200);
    expect((await chat(gateway, rawKey, 'stream-too', late)).status).toBe(504);
    expect((await chat(gateway, rawKey, 'stream-too')).status).toBe(200);
  });
});

it('the total timeout alone also bounds the first byte, also when a model sets it', async () => {
  await using gateway = await gatewayWith({ total: NEVER_MS }, { quick: { total: SHORT_MS }, plain: {} });
  const { rawKey } = await gateway.createKey();
  const late = { simulate: { delay_ms: DELAY_MS } };
  expect((await chat(gateway, rawKey, 'quick', late)).status).toBe(504);
  expect((await chat(gateway, rawKey, 'plain', late)).status).toBe(200);
});

describe('the circuit breaker and timeouts', () => {
  const CALLS = 25;

  async function ask(gateway: TestGateway, rawKey: string, model: string, simulate: object) {
    const answers = await Promise.all(
      Array.from({ length: CALLS }, () => chat(gateway, rawKey, model, { simulate })),
    );
    return answers.map(({ status }) => status);
  }

  it('timeouts before the first byte open the circuit breaker', async () => {
    await using gateway = await gatewayWith({ first_byte_plain: SHORT_MS }, { chat: {} }, CALLS);
    const { rawKey } = await gateway.createKey();
    expect(new Set(await ask(gateway, rawKey, 'chat', { hang: 'before_headers' }))).toEqual(new Set([504]));
    // Where the machine is so slow that those were more than ten seconds apart, these are the rest.
    await until(async () => {
      const { status } = await chat(gateway, rawKey, 'chat', { simulate: { hang: 'before_headers' } });
      return status === 503;
    });
  });

  it('responses that callers made too long do not open the circuit breaker', async () => {
    const total = 5_000;
    await using gateway = await gatewayWith({ first_byte_plain: 4_000, total }, { chat: {} }, 5);
    const { rawKey } = await gateway.createKey();
    expect(new Set(await ask(gateway, rawKey, 'chat', { hang: 'after_headers' }))).toEqual(new Set([504]));
    expect((await chat(gateway, rawKey, 'chat')).status).toBe(200);
    await using books = openBooks(gateway.databaseUrl);
    const rows = () =>
      books.query(
        'SELECT coalesce(sum(attempts), 0)::int AS n, coalesce(sum(failed_attempts), 0)::int AS failed FROM model_minutes',
      );
    await until(async () => Number((await rows())[0]?.n) > CALLS);
    expect((await rows())[0]?.failed).toBe(0);
  });

  it('a hanging provider opens the circuit breaker when nothing tells it from a long response', async () => {
    await using gateway = await gatewayWith({ total: SHORT_MS }, { chat: {} }, 5);
    const { rawKey } = await gateway.createKey();
    await until(
      async () =>
        (await chat(gateway, rawKey, 'chat', { simulate: { hang: 'after_headers' } })).status === 503,
    );
  });
});
