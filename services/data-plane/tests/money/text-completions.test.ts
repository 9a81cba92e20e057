import { simulatedCatalog, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payingKey, verifyLedger } from './money-fixture.ts';

/** Nano-USD per token. */
const INPUT = 1_500n;
const OUTPUT = 2_000n;
const LONG = 'a long prompt, of many words, '.repeat(400);

let rawKey: string;
const gateway = withGateway({
  ownPools: true,
  document: (baseUrl) => {
    const { models, ...others } = simulatedCatalog(baseUrl);
    const [paid] = models.filter(({ id }) => id === 'sim/complete-pro');
    if (paid === undefined) throw new Error('there is always a model for completions');
    const limited = { ...paid, id: 'sim/limited', context_length: 4_096, max_output_tokens: 1_000 };
    return { ...others, models: [...models, limited] };
  },
});
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

async function billOf(response: Pick<Response, 'headers'>) {
  const row = await gateway.recordOf(response);
  const amount = (name: string) => BigInt(String(row[name]));
  return {
    input: amount('input_tokens'),
    output: amount('output_tokens'),
    cost: amount('cost'),
    held: amount('held'),
    source: row.usage_source,
    reason: row.billing_reason,
  };
}

/** Sends a request, and returns its body and its bill. */
async function ask(fields: object) {
  const request = { model: 'sim/complete-pro', prompt: 'Once upon a time', max_tokens: 20, ...fields };
  const response = await gateway.ask('completions', request, { key: rawKey });
  expect(response.status, response.body).toBe(200);
  return { body: response.body, bill: await billOf(response) };
}

/** Opens a stream, and leaves it when this text is there. */
async function leaveAt(text: string, fields: object) {
  const abort = new AbortController();
  const request = { model: 'sim/complete-pro', prompt: 'a', max_tokens: 100, stream: true, ...fields };
  const response = await gateway.post('/v1/completions', request, { key: rawKey, signal: abort.signal });
  expect(response.status).toBe(200);
  let received = '';
  try {
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes(text)) abort.abort();
    }
  } catch {
    // The client has left.
  }
  return await billOf(response);
}

describe('the bill of a text completion', () => {
  it.each([false, true])('is the count of the provider, to the nano-dollar; streamed: %s', async (stream) => {
    const { bill } = await ask({ prompt: ['one', 'two words'], n: 2, stream });
    expect(bill).toMatchObject({ source: 'provider', reason: 'completed', output: 80n });
    expect(bill.cost).toBe(bill.input * INPUT + bill.output * OUTPUT);
    expect(bill.cost).toBeLessThanOrEqual(bill.held);
  });

  it.each<[string, object, bigint]>([
    ['one completion', {}, 20n],
    ['n completions', { n: 3 }, 60n],
    ['the alternatives of best_of', { n: 2, best_of: 5 }, 100n],
    ['all prompts', { prompt: ['a', 'b', 'c'], n: 2 }, 120n],
    ['a prompt of tokens', { prompt: [1, 2, 3] }, 20n],
    ['prompts of tokens', { prompt: [[1, 2], [3]], best_of: 2 }, 80n],
  ])('%s: all of the output is reserved, and billed', async (_name, fields, output) => {
    const { bill } = await ask(fields);
    expect(bill.output).toBe(output);
    expect(bill.held).toBeGreaterThanOrEqual(output * OUTPUT);
    expect(bill.held).toBeLessThan(output * OUTPUT + 1_000n * INPUT);
  });

  it('without max_tokens, the output of the model is reserved', async () => {
    const { bill } = await ask({ model: 'sim/limited', max_tokens: undefined, n: 2 });
    expect(bill.held).toBeGreaterThanOrEqual(2_000n * OUTPUT);
  });

  it('the larger limit is reserved, by whichever name', async () => {
    const { bill } = await ask({ max_tokens: 1, max_completion_tokens: 1_000 });
    expect(bill.held).toBeGreaterThanOrEqual(1_000n * OUTPUT);
  });

  it('a suffix is input', async () => {
    const { bill } = await ask({ suffix: LONG, simulate: { usage: 'missing' } });
    expect(bill.input).toBeGreaterThan(BigInt(LONG.length) / 4n);
    expect(bill.held).toBeGreaterThanOrEqual(bill.cost);
  });
});

describe('a text completion without a count', () => {
  const simulate = { usage: 'missing', content: 'x'.repeat(40) };

  it.each([false, true])('is estimated by the delivered text; streamed: %s', async (stream) => {
    const { bill } = await ask({ prompt: 'y'.repeat(400), max_tokens: 50, n: 2, stream, simulate });
    expect(bill).toMatchObject({ source: 'estimated', input: 100n, output: 20n });
    expect(bill.cost).toBe(100n * INPUT + 20n * OUTPUT);
  });

  it.each([false, true])('an echoed prompt is no output; streamed: %s', async (stream) => {
    const { body, bill } = await ask({
      prompt: [LONG, 'b'],
      n: 2,
      max_tokens: 50,
      echo: true,
      stream,
      simulate,
    });
    expect(body).toContain(LONG.slice(0, 1_000));
    expect(bill).toMatchObject({ source: 'estimated', output: 40n });
  });

  it('an echo of tokens counts as output, up to max_tokens', async () => {
    const { bill } = await ask({ prompt: [1, 2, 3], max_tokens: 7, echo: true, simulate });
    expect(bill.output).toBe(7n);
  });

  it('an echo alone costs its prompt', async () => {
    const { bill } = await ask({ prompt: LONG, max_tokens: 0, echo: true, simulate });
    expect(bill).toMatchObject({ output: 0n, input: BigInt(LONG.length) / 4n });
  });

  it('the alternatives of best_of that are not returned are output', async () => {
    const { bill } = await ask({ n: 2, best_of: 6, max_tokens: 50, simulate });
    expect(bill).toMatchObject({ source: 'estimated', output: 60n });
  });

  it('tokens of a prompt count, not their digits', async () => {
    const { bill } = await ask({
      prompt: Array.from({ length: 300 }, (_, index) => 100_000 + index),
      simulate,
    });
    expect(bill.input).toBe(300n);
  });

  it.each(['absurd', 'huge', 'worded'])('%s usage is replaced, streamed or not', async (usage) => {
    for (const stream of [false, true]) {
      const { bill, body } = await ask({
        simulate: { usage, content: 'x'.repeat(40) },
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      });
      expect(bill).toMatchObject({ source: 'estimated', output: 10n });
      expect(body).toContain(`"usage":{"prompt_tokens":${bill.input},"completion_tokens":10,`);
    }
  });
});

describe('a stream of text that its client leaves', () => {
  const simulate = { content: 'word '.repeat(80), token_delay_ms: 20 };

  it('costs what was delivered', async () => {
    const bill = await leaveAt('word', { simulate });
    expect(bill).toMatchObject({ source: 'estimated', reason: 'aborted_partial' });
    expect(bill.output).toBeGreaterThan(0n);
    expect(bill.output).toBeLessThan(60n);
    expect(bill.cost).toBe(bill.input * INPUT + bill.output * OUTPUT);
    expect(bill.cost).toBeLessThanOrEqual(bill.held);
  });

  it('costs no output for an echo of its prompt', async () => {
    const bill = await leaveAt('many words', { prompt: LONG, echo: true, simulate });
    expect(bill.output).toBeLessThan(60n);
    expect(bill.input).toBeGreaterThanOrEqual(BigInt(LONG.length) / 4n);
  });
});

describe('a long stream of text', () => {
  const request = { model: 'sim/complete-pro', prompt: 'a', max_tokens: 20_000, stream: true };
  // Not in the request, whose text is reserved as input.
  const script = {
    content: 'internationalization '.repeat(2_000),
    token_delay_ms: 1,
    usage: 'missing',
  } as const;

  it('reserves its output step by step, and ends where the pools do', async () => {
    const { rawKey: key } = await payingKey(gateway, '0.010');
    gateway.provider.script(script);
    const response = await gateway.ask('completions', request, { key });
    expect([response.status, response.isBroken], response.body).toEqual([200, true]);
    expect(response.body).toContain('"insufficient_balance"');
    const bill = await billOf(response);
    expect(bill.output).toBeGreaterThan(2_000n);
    expect(bill.cost).toBeLessThanOrEqual(10_000_000n);
  });

  it('with an echo reserves all of its output first', async () => {
    const { rawKey: key } = await payingKey(gateway, '0.020');
    const response = await gateway.ask('completions', { ...request, echo: true }, { key });
    expect(response.status, response.body).toBe(402);
  });
});

it('a large completion is passed on and billed by its count', async () => {
  const simulate = { content: 'long text '.repeat(60_000) };
  const { body, bill } = await ask({ max_tokens: 200_000, n: 2, simulate });
  expect(body.length).toBeGreaterThan(1_000_000);
  expect(JSON.parse(body)).toMatchObject({ model: 'sim/complete-pro', object: 'text_completion' });
  expect(bill.source).toBe('provider');
  expect(bill.cost).toBe(bill.input * INPUT + bill.output * OUTPUT);
  const uncounted = await ask({ max_tokens: 200_000, simulate: { ...simulate, usage: 'missing' } });
  expect(uncounted.bill).toMatchObject({ source: 'estimated', output: 150_000n });
});
