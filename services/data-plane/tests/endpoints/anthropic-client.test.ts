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
import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';
import {
  BROKEN_STREAMS,
  createLimitedKey,
  createPoorKey,
  expectClosedAtOnce,
  failureOf,
} from './client-outcomes.ts';
import { anthropicOf, openAiOf } from './official-clients.ts';

/** Tests what tests/clients leaves out of Anthropic's client: errors, aborts, lists of models and betas. */

const gateway = withGateway({ catalog: true, document: bothApis });
const clientOf = (apiKey: string) => anthropicOf(gateway, apiKey);
const messages = () => clientOf(gateway.rawKey).messages;

const QUESTION = { role: 'user' as const, content: 'Why is the sky blue?' };

describe.each([
  ['Messages', CLAUDE],
  ['Chat Completions', CHAT],
])("Anthropic's client and a model whose provider serves %s", (_name, model) => {
  const request = { model, max_tokens: 300, messages: [QUESTION] };

  it('a message comes with the headers of the gateway', async () => {
    const { data: message, response, request_id } = await messages().create(request).withResponse();
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
    expect(request_id).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(response.headers.get('x-request-id')).toBe(request_id);
    expect(response.headers.get('x-gateway-model')).toBe(model);
    expect(Number(response.headers.get('x-gateway-overhead-ms'))).toBeGreaterThan(0);
  });

  it('the client may send its key as a bearer token', async () => {
    const authToken = gateway.rawKey;
    const bearer = new Anthropic({ authToken, apiKey: null, baseURL: gateway.baseUrl, maxRetries: 0 });
    expect((await bearer.messages.create(request)).stop_reason).toBe('end_turn');
  });

  it("the client's tool runner runs tools and sends the conversation again", async () => {
    const asked: unknown[] = [];
    const message = await clientOf(gateway.rawKey).beta.messages.toolRunner({
      ...request,
      messages: [{ role: 'user', content: 'use get_weather: {"city":"Oslo"}' }],
      tools: [
        {
          name: 'get_weather',
          input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
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
    expect(JSON.parse(gateway.provider.requests.at(-1)?.bodyText ?? '{}').messages).toHaveLength(3);
  });

  it('tool_choice "any" forces a tool call', async () => {
    const tools = [{ name: 'get_weather', input_schema: { type: 'object' as const } }];
    const { content } = await messages().create({ ...request, tools, tool_choice: { type: 'any' } });
    expect(content).toMatchObject([{ type: 'tool_use', name: 'get_weather' }]);
  });

  it('the provider sees its request closed within 100 ms after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    const stream = messages().stream(request);
    await new Promise<void>((resolve) => stream.once('text', () => resolve()));
    // Before the end, or the client library leaves a rejection that nobody handles.
    const aborted = expect(stream.done()).rejects.toThrow();
    await expectClosedAtOnce(gateway, () => stream.abort());
    await aborted;
  });

  it('the provider sees its request closed within 100 ms after the client aborts a waiting request', async () => {
    gateway.provider.script({ delay_ms: 10_000 });
    const leave = new AbortController();
    const aborted = expect(messages().create(request, { signal: leave.signal })).rejects.toThrow();
    await expectClosedAtOnce(gateway, () => leave.abort());
    await aborted;
  });

  it.each(BROKEN_STREAMS)('the client raises when its stream %s in the middle', async (_what, fault) => {
    gateway.provider.script({ content: 'word '.repeat(50), ...fault });
    const stream = messages().stream(request);
    stream.on('error', () => undefined);
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(AnthropicError);
    expect(stream.receivedMessages).toEqual([]);
  });

  it('the client raises its own error classes, with the type and the request id', async () => {
    const unauthorized = await failureOf(clientOf('gw_live_nonsense').messages.create(request), APIError);
    expect(unauthorized).toBeInstanceOf(AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, type: 'authentication_error' });
    expect(unauthorized.error).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(unauthorized.requestID).toMatch(/^req_/);
    const unknown = await failureOf(messages().create({ ...request, model: 'sim/nothing' }), NotFoundError);
    expect(unknown).toMatchObject({ status: 404, type: 'not_found_error' });
    const invalid = await failureOf(messages().create({ ...request, messages: [] }), BadRequestError);
    expect(invalid).toMatchObject({ status: 400, type: 'invalid_request_error' });
    for (const status of [500, 503]) {
      gateway.provider.script({ status });
      const failed = await failureOf(messages().create(request), InternalServerError);
      expect(failed).toMatchObject({ status: 502, type: 'api_error' });
    }
    gateway.provider.script({ status: 429, retry_after: '17' });
    const limited = await failureOf(messages().create(request), RateLimitError);
    expect(limited).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(limited.headers?.get('retry-after')).toBe('17');
  });

  it('the client raises its own error classes for rate limits and missing money', async () => {
    const limited = clientOf(await createLimitedKey(gateway));
    await limited.messages.create(request);
    const error = await failureOf(limited.messages.create(request), RateLimitError);
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
    const poor = clientOf(await createPoorKey(gateway));
    const paid = { ...request, model: model.replace('free', 'pro') };
    const unpaid = await failureOf(poor.messages.create(paid), PaymentRequiredError);
    expect(unpaid).toMatchObject({ status: 402, type: 'billing_error' });
  });
});

describe("Anthropic's client and a model of Anthropic", () => {
  const request = { model: CLAUDE, max_tokens: 3_000, messages: [QUESTION] };

  it('a thought with a changed signature is refused', async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const first = await messages()
      .stream({ ...request, thinking })
      .finalMessage();
    const [thought, ...rest] = first.content;
    if (thought?.type !== 'thinking') throw new Error(`it began with ${thought?.type}`);
    const content = [{ ...thought, signature: `${thought.signature}A` }, ...rest];
    const conversation = [QUESTION, { role: 'assistant' as const, content }, QUESTION];
    const refused = await failureOf(
      messages().create({ ...request, thinking, messages: conversation }),
      BadRequestError,
    );
    expect(refused.message).toContain('Invalid `signature` in `thinking` block');
  });

  it('the response names the stop sequence that was hit', async () => {
    gateway.provider.script({ content: 'one two STOP three' });
    const stopped = await messages().create({ ...request, stop_sequences: ['STOP', 'never'] });
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', 'STOP']);
    expect(stopped.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^one two\s*$/) }]);
  });

  it('count_tokens returns what the provider counts', async () => {
    const { input_tokens: counted } = await messages().countTokens({ model: CLAUDE, messages: [QUESTION] });
    expect(counted).toBe((await messages().create(request)).usage.input_tokens);
  });

  it("an overloaded provider raises the client's OverloadedError", async () => {
    gateway.provider.script({ status: 529 });
    const error = await failureOf(messages().create(request), OverloadedError);
    expect(error).toMatchObject({ status: 529, type: 'overloaded_error' });
  });

  it('an unknown beta feature reaches the provider', async () => {
    const message = await clientOf(gateway.rawKey).beta.messages.create({
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

it("Anthropic's client lists all models, page by page", async () => {
  const known = (await Array.fromAsync(openAiOf(gateway).models.list())).map(({ id }) => id);
  const { models } = anthropicOf(gateway);
  const first = await models.list({ limit: 2 });
  expect(first.data).toHaveLength(2);
  expect(first.has_more).toBe(true);
  expect([first.first_id, first.last_id]).toEqual([first.data[0]?.id, first.data[1]?.id]);
  const listed = (await Array.fromAsync(models.list({ limit: 2 }))).map(({ id }) => id);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining([CLAUDE, CHAT]));
  expect(known).toEqual(expect.arrayContaining(listed));
  for (const model of first.data) {
    expect(model).toMatchObject({ type: 'model', display_name: expect.any(String) });
    expect(Date.parse(model.created_at)).not.toBeNaN();
  }
});
