import { watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';
import { withPythonClient } from './python-client.ts';

const runProgram = withPythonClient('anthropic-python', 'anthropic==2.12.0', './anthropic_client.py');
const gateway = withGateway({ catalog: true, document: bothApis });

/** Runs one part of the program. @returns what it has found */
const client = (part: string, model: string) =>
  runProgram(part, model, { ANTHROPIC_BASE_URL: gateway.baseUrl, ANTHROPIC_API_KEY: gateway.rawKey });

describe.each([
  ['a provider of the same API', CLAUDE],
  ['a provider of Chat Completions', CHAT],
])("Anthropic's client for Python, and a model of %s", (_name, model) => {
  it('the client gets a message, plain and streamed', async () => {
    expect(await client('plain', model)).toMatchObject({
      model,
      stop_reason: 'end_turn',
      text: expect.stringMatching(/\w{3}/),
      is_same_streamed: true,
      input_tokens: expect.toSatisfy((tokens) => tokens > 0),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('the client calls tools and sends their results back', async () => {
    expect(await client('tools', model)).toMatchObject({
      stop_reason: 'tool_use',
      inputs: [{ city: 'Oslo' }, { city: 'Rome' }],
      next_stop_reason: 'end_turn',
    });
  });

  it('the client gets thoughts where the model thinks', async () => {
    const { types, next } = Object(await client('thinking', model));
    if (model === CLAUDE) expect(types).toEqual(['thinking', 'text']);
    expect(types).toContain('text');
    expect(next).toBe('end_turn');
  });

  it('the client counts tokens', async () => {
    expect(await client('count', model)).toEqual({ input_tokens: expect.toSatisfy((tokens) => tokens > 0) });
  });

  it('the client raises its own error classes', async () => {
    gateway.provider.script({ status: 429 }, { status: 500 });
    expect(await client('errors', model)).toEqual({
      limited: 'RateLimitError',
      failed: 'InternalServerError',
      unauthorized: 'AuthenticationError',
      unknown: 'NotFoundError',
      invalid: 'BadRequestError',
    });
  });

  it('the client raises when a stream breaks', async () => {
    gateway.provider.script({ content: 'word '.repeat(50), truncate: { after_events: 6 } });
    expect(await client('broken', model)).toMatchObject({ is_raised: true });
  });

  it('the provider sees its request closed after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    using lag = watchLag();
    const { left_at } = Object(await client('abort', model));
    const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
    expect(reason).toBe('client_closed');
    // Seconds since 1970 on the clock of this machine, which both processes read.
    const leftAtMs = left_at * 1_000 - performance.timeOrigin;
    expect(atMs - leftAtMs).toBeLessThan(100 + lag.allowanceMs());
  });
});

it("Anthropic's client for Python lists all models, page by page", async () => {
  const { ids, pages } = Object(await client('models', CLAUDE));
  expect(ids).toEqual(expect.arrayContaining([CLAUDE, CHAT]));
  expect(new Set(ids).size).toBe(ids.length);
  expect(pages).toBeGreaterThan(1);
});
