import Anthropic, {
  AnthropicError,
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  OverloadedError,
  PaymentRequiredError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { watchLag, withGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';

let client: Anthropic;

const gateway = withGateway({ catalog: true, document: bothApis });
beforeAll(async () => {
  client = clientOf(gateway.rawKey);
});

function clientOf(apiKey: string): Anthropic {
  return new Anthropic({ apiKey, baseURL: gateway.baseUrl, maxRetries: 0 });
}

const QUESTION = { role: 'user' as const, content: 'Why is the sky blue?' };
const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
};

describe.each([
  ['a provider of the same API', CLAUDE],
  ['a provider of Chat Completions', CHAT],
])(
  "Anthropic's official client, with nothing but its base URL and key changed, and a model of %s",
  (_name, model) => {
    const request = { model, max_tokens: 300, messages: [QUESTION] };

    it('gets a message', async () => {
      const { data: message, response, request_id } = await client.messages.create(request).withResponse();
      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model,
        stop_reason: 'end_turn',
        stop_sequence: null,
      });
      expect(textOf(message).length).toBeGreaterThan(20);
      expect(message.usage.input_tokens).toBeGreaterThan(0);
      expect(message.usage.output_tokens).toBeGreaterThan(0);
      expect(request_id).toMatch(/^req_[0-9A-Za-z]{24}$/);
      expect(response.headers.get('x-request-id')).toBe(request_id);
      expect(response.headers.get('x-gateway-model')).toBe(model);
      expect(Number(response.headers.get('x-gateway-overhead-ms'))).toBeGreaterThan(0);
    });

    it('may send its key as a bearer token instead', async () => {
      const bearer = new Anthropic({
        authToken: gateway.rawKey,
        apiKey: null,
        baseURL: gateway.baseUrl,
        maxRetries: 0,
      });
      expect(textOf(await bearer.messages.create(request))).not.toBe('');
    });

    it('streams, and finalMessage is what it gets without a stream', async () => {
      const stream = client.messages.stream(request);
      const events: Anthropic.MessageStreamEvent[] = [];
      stream.on('streamEvent', (event) => events.push(event));
      const message = await stream.finalMessage();
      const whole = await client.messages.create(request);
      expect(message.content).toEqual(whole.content);
      expect(message.stop_reason).toBe(whole.stop_reason);
      expect(message.usage.output_tokens).toBe(whole.usage.output_tokens);
      expect(message.usage.input_tokens).toBe(whole.usage.input_tokens);
      expect(message.model).toBe(model);
      expectWellFormed(events);
    });

    it('runs tools by itself, where it would rather keep the conversation at its provider', async () => {
      const asked: unknown[] = [];
      const message = await client.beta.messages.toolRunner({
        ...request,
        messages: [{ role: 'user', content: 'use get_weather: {"city":"Oslo"}' }],
        tools: [
          {
            ...WEATHER,
            run: (input: unknown) => {
              asked.push(input);
              return 'rain';
            },
            parse: (input: unknown) => input,
          },
        ],
      });
      expect(asked).toEqual([{ city: 'Oslo' }]);
      expect(message.stop_reason).toBe('end_turn');
      const { messages } = JSON.parse(gateway.provider.requests.at(-1)?.bodyText ?? '{}');
      expect(messages).toHaveLength(3);
    });

    it('calls tools, alone and together, plain and streamed, and sends their results back', async () => {
      const asked = {
        role: 'user' as const,
        content: 'use get_weather: {"city":"Oslo"}\nalso use get_weather: {"city":"Rome"}',
      };
      const tools = [WEATHER];
      for (const ask of [
        (body: Anthropic.MessageCreateParamsNonStreaming) => client.messages.create(body),
        (body: Anthropic.MessageCreateParamsNonStreaming) => client.messages.stream(body).finalMessage(),
      ]) {
        const first = await ask({ ...request, tools, messages: [asked] });
        expect(first.stop_reason).toBe('tool_use');
        const calls = first.content.filter((block) => block.type === 'tool_use');
        expect(calls.map(({ name, input }) => [name, input])).toEqual([
          ['get_weather', { city: 'Oslo' }],
          ['get_weather', { city: 'Rome' }],
        ]);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
        const results = calls.map(({ id }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: [{ type: 'text' as const, text: `sunny, said ${id}` }],
        }));
        const second = await ask({
          ...request,
          tools,
          messages: [
            asked,
            { role: 'assistant', content: first.content },
            { role: 'user', content: results },
          ],
        });
        expect(second.stop_reason).toBe('end_turn');
        expect(textOf(second)).toContain('sunny, said');
      }
      const forced = await client.messages.create({ ...request, tools, tool_choice: { type: 'any' } });
      expect(forced.content).toMatchObject([{ type: 'tool_use', name: 'get_weather' }]);
    });

    it('is answered when it asks for thinking', async () => {
      const message = await client.messages
        .stream({
          ...request,
          max_tokens: 3_000,
          thinking: { type: 'enabled', budget_tokens: 1_024 },
        })
        .finalMessage();
      expect(textOf(message)).not.toBe('');
      expect(message.stop_reason).toBe('end_turn');
    });

    it('counts tokens, free of charge', async () => {
      const { input_tokens: counted } = await client.messages.countTokens({ model, messages: [QUESTION] });
      expect(counted).toBeGreaterThan(0);
      const longer = await client.messages.countTokens({
        model,
        system: 'Be brief. '.repeat(50),
        messages: [QUESTION],
      });
      expect(longer.input_tokens).toBeGreaterThan(counted);
    });

    it('stops at max_tokens, and says so', async () => {
      const cut = await client.messages.create({ ...request, max_tokens: 3 });
      expect([cut.stop_reason, cut.usage.output_tokens]).toEqual(['max_tokens', 3]);
    });

    it('aborts a stream, and the provider sees its request closed within 100 ms', async () => {
      gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
      const stream = client.messages.stream(request);
      await new Promise<void>((resolve) => stream.once('text', () => resolve()));
      // Before the end, or the client library leaves a rejection that nobody handles.
      const aborted = expect(stream.done()).rejects.toThrow();
      using lag = watchLag();
      const abortedAtMs = performance.now();
      stream.abort();
      const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
      expect(reason).toBe('client_closed');
      expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
      await aborted;
    });

    it('aborts a request that waits for its answer, and the provider sees it closed within 100 ms', async () => {
      gateway.provider.script({ delay_ms: 10_000 });
      const abort = new AbortController();
      const answer = client.messages.create(request, { signal: abort.signal });
      const seen = await gateway.provider.waitForRequest();
      using lag = watchLag();
      const abortedAtMs = performance.now();
      abort.abort();
      await expect(answer).rejects.toThrow();
      const { atMs, reason } = await seen.closed;
      expect(reason).toBe('client_closed');
      expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
    });

    it.each([
      ['is cut', { truncate: { after_events: 6 } }],
      ['is reset', { reset: { after_events: 6 } }],
      ['has an error event', { sse: 'error_event' as const }],
      ['has rubbish in it', { rubbish: 'bad_chunk' as const }],
    ])('raises when its stream %s in the middle', async (_what, fault) => {
      gateway.provider.script({ content: 'word '.repeat(50), ...fault });
      const stream = client.messages.stream(request);
      stream.on('error', () => undefined);
      await expect(stream.finalMessage()).rejects.toBeInstanceOf(AnthropicError);
      expect(stream.receivedMessages).toEqual([]);
    });

    it('raises its own error classes, with the type and the request id', async () => {
      const unauthorized = await failure(clientOf('gw_live_nonsense').messages.create(request));
      expect(unauthorized).toBeInstanceOf(AuthenticationError);
      expect(unauthorized).toMatchObject({ status: 401, type: 'authentication_error' });
      expect(unauthorized.error).toMatchObject({ error: { code: 'invalid_api_key' } });
      expect(unauthorized.requestID).toMatch(/^req_/);

      const unknown = await failure(client.messages.create({ ...request, model: 'sim/nothing' }));
      expect(unknown).toBeInstanceOf(NotFoundError);
      expect(unknown).toMatchObject({ status: 404, type: 'not_found_error' });

      const invalid = await failure(client.messages.create({ ...request, messages: [] }));
      expect(invalid).toBeInstanceOf(BadRequestError);
      expect(invalid).toMatchObject({ status: 400, type: 'invalid_request_error' });

      for (const status of [500, 503]) {
        gateway.provider.script({ status });
        const failed = await failure(client.messages.create(request));
        expect(failed).toBeInstanceOf(InternalServerError);
        expect(failed).toMatchObject({ status: 502, type: 'api_error' });
      }

      gateway.provider.script({ status: 429, retry_after: '17' });
      const limited = await failure(client.messages.create(request));
      expect(limited).toBeInstanceOf(RateLimitError);
      expect(limited).toMatchObject({ status: 429, type: 'rate_limit_error' });
      expect(limited.headers?.get('retry-after')).toBe('17');
    });

    it('learns of limits and of missing credit in the same classes', async () => {
      const account = await gateway.createAccount();
      const { rawKey: limitedKey } = await gateway.createKey(account);
      const value = { value: 1 };
      await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, freePerMinute: value });
      const limited = clientOf(limitedKey);
      await limited.messages.create(request);
      const error = await failure(limited.messages.create(request));
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' });
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);

      const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
        email: `${model.replaceAll('/', '-')}@example.com`,
        name: 'Poor',
      });
      const { rawKey: poorKey } = await gateway.createKey(poor.id);
      const paid = { ...request, model: model.replace('free', 'pro') };
      const unpaid = await failure(clientOf(poorKey).messages.create(paid));
      expect(unpaid).toBeInstanceOf(PaymentRequiredError);
      expect(unpaid).toMatchObject({ status: 402, type: 'billing_error' });
    });
  },
);

describe("Anthropic's official client and a model of Anthropic", () => {
  const request = { model: CLAUDE, max_tokens: 3_000, messages: [QUESTION] };
  const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };

  it('thinks, and what was thought comes back to the byte, or is refused', async () => {
    const first = await client.messages.stream({ ...request, thinking }).finalMessage();
    const [thought, ...rest] = first.content;
    if (thought?.type !== 'thinking') throw new Error(`it began with ${thought?.type}`);
    expect(thought.thinking.length).toBeGreaterThan(10);
    expect(thought.signature.length).toBeGreaterThan(20);
    const again = (content: Anthropic.ContentBlockParam[]) =>
      client.messages.create({
        ...request,
        thinking,
        messages: [QUESTION, { role: 'assistant', content }, QUESTION],
      });
    expect((await again([thought, ...rest])).stop_reason).toBe('end_turn');
    const changed = await failure(again([{ ...thought, signature: `${thought.signature}A` }, ...rest]));
    expect(changed).toBeInstanceOf(BadRequestError);
    expect(changed.message).toContain('Invalid `signature` in `thinking` block');
  });

  it('learns at which sequence its answer has stopped', async () => {
    gateway.provider.script({ content: 'one two STOP three' });
    const stopped = await client.messages.create({ ...request, stop_sequences: ['STOP', 'never'] });
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', 'STOP']);
    expect(textOf(stopped).trim()).toBe('one two');
  });

  it('counts exactly what the provider counts', async () => {
    const { input_tokens: counted } = await client.messages.countTokens({
      model: CLAUDE,
      messages: [QUESTION],
    });
    expect(counted).toBe((await client.messages.create(request)).usage.input_tokens);
  });

  it('learns that the provider is overloaded, in the words of the provider', async () => {
    gateway.provider.script({ status: 529 });
    const error = await failure(client.messages.create(request));
    expect(error).toBeInstanceOf(OverloadedError);
    expect(error).toMatchObject({ status: 529, type: 'overloaded_error' });
    gateway.provider.script({ status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' });
    const long = await failure(client.messages.create(request));
    expect(long).toBeInstanceOf(BadRequestError);
    expect(long.message).toContain('prompt is too long: 9 tokens > 8 maximum');
  });

  it('may use a beta feature that the gateway has never heard of', async () => {
    const message = await client.beta.messages.create({
      ...request,
      betas: ['new-thing-2030-01-01'],
      ...{ new_thing: { level: 1 } },
    });
    expect(message.stop_reason).toBe('end_turn');
    const [seen] = gateway.provider.requests;
    expect(seen?.body).toMatchObject({ new_thing: { level: 1 } });
    expect(seen?.headers['anthropic-beta']).toBe('new-thing-2030-01-01');
  });
});

describe("Anthropic's official client", () => {
  it('lists all models, page by page', async () => {
    const openai = new OpenAI({ apiKey: gateway.rawKey, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const known = (await Array.fromAsync(openai.models.list())).map(({ id }) => id);
    const first = await client.models.list({ limit: 2 });
    expect(first.data).toHaveLength(2);
    expect(first.has_more).toBe(true);
    expect([first.first_id, first.last_id]).toEqual([first.data[0]?.id, first.data[1]?.id]);
    const listed = (await Array.fromAsync(client.models.list({ limit: 2 }))).map(({ id }) => id);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining([CLAUDE, CHAT]));
    expect(known).toEqual(expect.arrayContaining(listed));
    for (const model of first.data) {
      expect(model).toMatchObject({ type: 'model', display_name: expect.any(String) });
      expect(Date.parse(model.created_at)).not.toBeNaN();
    }
  });
});

/** Exactly one start, with input usage; each block closed before the next opens; then the end. */
function expectWellFormed(events: readonly Anthropic.MessageStreamEvent[]): void {
  const kinds = events.map(({ type }) => type);
  expect(kinds.filter((kind) => kind === 'message_start')).toHaveLength(1);
  expect(kinds[0]).toBe('message_start');
  expect(kinds.slice(-2)).toEqual(['message_delta', 'message_stop']);
  const [start] = events;
  if (start?.type === 'message_start') expect(start.message.usage.input_tokens).toBeGreaterThan(0);
  let open: number | undefined;
  for (const event of events) {
    if (event.type === 'content_block_start') {
      expect(open).toBeUndefined();
      open = event.index;
    } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
    else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open);
      open = undefined;
    }
  }
  expect(open).toBeUndefined();
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
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
