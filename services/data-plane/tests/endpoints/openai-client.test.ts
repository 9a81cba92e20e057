import { watchLag, withGateway } from '@model-gateway/test-kit';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';

let client: OpenAI;

const gateway = withGateway({ catalog: true });
beforeAll(async () => {
  const { rawKey } = await gateway.createKey();
  client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
});

const request = {
  model: 'sim/chat-free',
  messages: [{ role: 'user' as const, content: 'Why is the sky blue?' }],
};

describe('the official OpenAI client, with nothing but its base URL and key changed', () => {
  it('gets a completion', async () => {
    const { data: completion, response } = await client.chat.completions.create(request).withResponse();
    expect(completion).toMatchObject({ object: 'chat.completion', model: 'sim/chat-free' });
    expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(20);
    expect(completion.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(response.headers.get('x-gateway-model')).toBe('sim/chat-free');
    expect(Number(response.headers.get('x-gateway-overhead-ms'))).toBeGreaterThan(0);
  });

  it('streams, and sees no usage it did not ask for', async () => {
    const stream = await client.chat.completions.create({ ...request, stream: true });
    let text = '';
    let finishReason: string | null = null;
    for await (const chunk of stream) {
      expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'sim/chat-free' });
      expect(chunk.usage).toBeUndefined();
      expect(chunk.choices).toHaveLength(1);
      text += chunk.choices[0]?.delta.content ?? '';
      finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
    }
    const whole = await client.chat.completions.create(request);
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(finishReason).toBe('stop');
    expect(gateway.provider.requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } });
  });

  it('streams with usage when it asks for it', async () => {
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.total_tokens).toBeGreaterThan(0);
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('aborts a stream, and the provider sees its request closed within 100 ms', async () => {
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      ...simulate({ token_delay_ms: 20 }),
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    using lag = watchLag();
    const abortedAtMs = performance.now();
    const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
    expect(reason).toBe('client_closed');
    expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
  });

  it('aborts a request that waits for its answer, and the provider sees it closed within 100 ms', async () => {
    const abort = new AbortController();
    const answer = client.chat.completions.create(
      { ...request, ...simulate({ delay_ms: 10_000 }) },
      { signal: abort.signal },
    );
    const seen = await gateway.provider.waitForRequest();
    using lag = watchLag();
    const abortedAtMs = performance.now();
    abort.abort();
    await expect(answer).rejects.toThrow();
    const { atMs, reason } = await seen.closed;
    expect(reason).toBe('client_closed');
    expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
  });

  it('lists models and retrieves one by its id with the slash', async () => {
    const models = await Array.fromAsync(client.models.list());
    expect(models.map(({ id }) => id)).toContain('sim/chat-pro');
    expect(await client.models.retrieve('sim/chat-pro')).toMatchObject({
      id: 'sim/chat-pro',
      object: 'model',
      owned_by: 'sim',
    });
  });

  it('throws its own error classes, with the code, the param and the request id', async () => {
    const stranger = new OpenAI({
      apiKey: 'gw_live_nonsense',
      baseURL: `${gateway.baseUrl}/v1`,
      maxRetries: 0,
    });
    const unauthorized = await failure(stranger.chat.completions.create(request));
    expect(unauthorized).toBeInstanceOf(AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_api_key' });
    expect(await failure(stranger.models.list())).toBeInstanceOf(AuthenticationError);

    const unknownModel = await failure(client.chat.completions.create({ ...request, model: 'sim/nothing' }));
    expect(unknownModel).toBeInstanceOf(NotFoundError);
    expect(unknownModel).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(await failure(client.models.retrieve('sim/nothing'))).toBeInstanceOf(NotFoundError);

    const invalid = await failure(client.chat.completions.create({ ...request, messages: [] }));
    expect(invalid).toBeInstanceOf(BadRequestError);
    expect(invalid).toMatchObject({ code: 'invalid_request', param: 'messages' });
    expect(invalid.requestID).toMatch(/^req_/);
  });

  it('learns of a failure in the middle of a stream', async () => {
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      ...simulate({ truncate: { after_events: 4 } }),
    });
    const error = await failure(Array.fromAsync(stream));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'upstream_error', type: 'upstream_error' });
  });
});

/** A test knob of the simulated provider; the gateway passes fields that it does not know. */
function simulate(fault: Record<string, unknown>): object {
  return { simulate: fault };
}

async function failure(promise: PromiseLike<unknown>): Promise<APIError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}
