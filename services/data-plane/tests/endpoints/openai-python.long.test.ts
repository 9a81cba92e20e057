import { watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND, RESPONSES } from './all-apis.ts';
import { CLAUDE } from './both-apis.ts';
import { withPythonClient } from './python-client.ts';

const runProgram = withPythonClient('openai', './openai_client.py');
const gateway = withGateway({ document: allApis });

/** Runs one part of the program. @returns what it has found */
const client = (part: string, model: string) =>
  runProgram(part, model, { OPENAI_BASE_URL: `${gateway.baseUrl}/v1`, OPENAI_API_KEY: gateway.rawKey });

describe.each(EVERY_KIND)("OpenAI's client for Python, its responses, and a model of %s", (_name, model) => {
  it('gets a response, plain and streamed', async () => {
    expect(await client('plain', model)).toMatchObject({
      model,
      status: 'completed',
      text: expect.stringMatching(/\w{3}/),
      is_same_streamed: true,
      input_tokens: expect.toSatisfy((tokens) => tokens > 0),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('parses what fits a class of its own', async () => {
    expect(await client('parsed', model)).toEqual({
      fields: ['colour', 'is_bright'],
      is_same_streamed: true,
    });
  });

  it('calls tools and sends their results back', async () => {
    expect(await client('tools', model)).toEqual({
      inputs: [{ city: 'Oslo' }, { city: 'Rome' }],
      next_status: 'completed',
    });
  });

  it('calls a custom tool, with text as it was written', async () => {
    expect(await client('custom', model)).toEqual({ is_as_written: true, next_status: 'completed' });
  });

  it('reasons, where the model does, and goes on from it', async () => {
    const { types, next_status } = Object(await client('reasoning', model));
    if (model === CLAUDE) expect(types).toEqual(['reasoning', 'message']);
    expect(types).toContain('message');
    expect(next_status).toBe('completed');
  });

  it('raises its own error classes', async () => {
    gateway.provider.script({ status: 429 }, { status: 500 });
    expect(await client('errors', model)).toEqual({
      limited: 'RateLimitError',
      failed: 'InternalServerError',
      unauthorized: 'AuthenticationError',
      unknown: 'NotFoundError',
      invalid: 'BadRequestError',
    });
  });

  it('raises when a stream breaks', async () => {
    gateway.provider.script({ content: 'word '.repeat(50), truncate: { after_events: 6 } });
    expect(await client('broken', model)).toMatchObject({ is_raised: true });
  });

  it('aborts a stream, and the provider sees its request closed', async () => {
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

it("OpenAI's client for Python goes on from what a provider of Responses keeps, and deletes it", async () => {
  expect(await client('kept', RESPONSES)).toEqual({
    goes_on: true,
    is_found: true,
    after_deletion: 'NotFoundError',
  });
});
