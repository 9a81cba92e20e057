import { watchLag, withGateway } from '@model-gateway/test-kit';
import OpenAI, { APIError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bothApis, CLAUDE } from './both-apis.ts';

let client: OpenAI;

const gateway = withGateway({ document: bothApis });
beforeAll(async () => {
  const { rawKey } = await gateway.createKey();
  client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
});

const QUESTION = { role: 'user' as const, content: 'Why is the sky blue?' };
const request = { model: CLAUDE, messages: [QUESTION] };
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

/** What a message carries beyond OpenAI's own (docs/wire-format.md). */
const thought = z.looseObject({
  reasoning_content: z.string().min(10),
  reasoning_details: z.array(z.looseObject({ type: z.string(), signature: z.string() })).min(1),
});

describe('the official OpenAI client and a model of Anthropic', () => {
  it('gets a completion, without any bound on its length in the request', async () => {
    const completion = await client.chat.completions.create({
      ...request,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        QUESTION,
      ],
    });
    expect(completion).toMatchObject({ object: 'chat.completion', model: CLAUDE });
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(20);
    const { usage } = completion;
    expect(usage?.prompt_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    const [seen] = gateway.provider.requests;
    expect(seen?.path).toBe('/v1/messages');
    expect(seen?.body).toMatchObject({ max_tokens: 64_000 });
  });

  it('streams the same text, with usage when it asks for it', async () => {
    const chunks = await Array.fromAsync(
      await client.chat.completions.create({
        ...request,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    const whole = await client.chat.completions.create(request);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: whole.usage?.prompt_tokens,
      completion_tokens: whole.usage?.completion_tokens,
    });
    const reasons = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
    expect(reasons).toEqual(['stop']);
    const silent = await Array.fromAsync(await client.chat.completions.create({ ...request, stream: true }));
    expect(silent.every(({ usage, choices }) => usage === undefined && choices.length === 1)).toBe(true);
  });

  it('calls tools together, plain and streamed, and sends their results back', async () => {
    const asked = {
      role: 'user' as const,
      content: 'use get_weather: {"city":"Oslo"}\nalso use get_weather: {"city":"Rome"}',
    };
    const first = await client.chat.completions.create({ ...request, tools, messages: [asked] });
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    const message = first.choices[0]?.message;
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
    expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual([
      { city: 'Oslo' },
      { city: 'Rome' },
    ]);

    const stream = client.chat.completions.stream({ ...request, tools, messages: [asked] });
    const streamed = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? [];
    expect(streamed.map((call) => ('function' in call ? JSON.parse(call.function.arguments) : call))).toEqual(
      [{ city: 'Oslo' }, { city: 'Rome' }],
    );

    if (message === undefined) throw new Error('there was no message');
    const results = calls.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `sunny in ${id}`,
    }));
    const second = await client.chat.completions.create({
      ...request,
      tools,
      messages: [asked, message, ...results],
    });
    expect(second.choices[0]?.finish_reason).toBe('stop');
    expect(second.choices[0]?.message.content).toContain('sunny in');
  });

  it('forces a tool, or a function by its name', async () => {
    for (const tool_choice of [
      'required' as const,
      { type: 'function' as const, function: { name: 'get_weather' } },
    ]) {
      const { choices } = await client.chat.completions.create({ ...request, tools, tool_choice });
      expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }]);
    }
  });

  it('reasons, and what was thought goes back with its signature through a turn with tools', async () => {
    const asked = { role: 'user' as const, content: 'use get_weather: {"city":"Oslo"}' };
    const reasoning = { ...request, tools, reasoning_effort: 'low' as const };
    const first = await client.chat.completions.create({ ...reasoning, messages: [asked] });
    const message = first.choices[0]?.message;
    if (message === undefined) throw new Error('there was no message');
    const { reasoning_details: details } = thought.parse(message);
    const [call] = message.tool_calls ?? [];
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny' };
    const next = (assistant: typeof message) =>
      client.chat.completions.create({ ...reasoning, messages: [asked, assistant, result] });
    expect((await next(message)).choices[0]?.finish_reason).toBe('stop');
    const forged = details.map((detail) => ({ ...detail, signature: `${detail.signature}A` }));
    const refused = await failure(next({ ...message, ...{ reasoning_details: forged } }));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.message).toContain('signature');
  });

  it('streams what was thought before the text', async () => {
    const stream = await client.chat.completions.create({
      ...request,
      reasoning_effort: 'low',
      stream: true,
    });
    const parts: string[] = [];
    const details: unknown[] = [];
    for await (const { choices } of stream) {
      const delta = z.looseObject({}).parse(choices[0]?.delta ?? {});
      if (typeof delta.reasoning_content === 'string' && delta.reasoning_content !== '')
        parts.push('thought');
      if (Array.isArray(delta.reasoning_details)) details.push(...delta.reasoning_details);
      if (typeof delta.content === 'string' && delta.content !== '') parts.push('text');
    }
    expect(parts.indexOf('text')).toBeGreaterThan(parts.lastIndexOf('thought'));
    expect(parts[0]).toBe('thought');
    expect(JSON.stringify(details)).toContain('signature');
  });

  it('gets JSON for a schema', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['blue'] } },
      required: ['colour'],
      additionalProperties: false,
    };
    const { choices } = await client.chat.completions.create({
      ...request,
      response_format: { type: 'json_schema', json_schema: { name: 'colour', strict: true, schema } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ colour: 'blue' });
  });

  it('is refused by name what Anthropic cannot do, and told what was ignored', async () => {
    for (const [param, more] of [
      ['n', { n: 2 }],
      ['logprobs', { logprobs: true }],
    ] as const) {
      const refused = await failure(client.chat.completions.create({ ...request, ...more }));
      expect(refused).toBeInstanceOf(BadRequestError);
      expect(refused).toMatchObject({ code: 'invalid_request', param });
      expect(refused.message).toContain(CLAUDE);
    }
    expect(gateway.provider.requests).toEqual([]);
    const { response } = await client.chat.completions
      .create({ ...request, prompt_cache_key: 'a', store: false })
      .withResponse();
    const ignored = response.headers.get('x-gateway-ignored')?.split(/, ?/) ?? [];
    expect(ignored).toEqual(expect.arrayContaining(['prompt_cache_key', 'store']));
  });

  it('raises its own error classes', async () => {
    gateway.provider.script({ status: 429, retry_after: '17' });
    const limited = await failure(client.chat.completions.create(request));
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ code: 'upstream_rate_limited' });
    const unknown = await failure(client.chat.completions.create({ ...request, model: 'sim/nothing' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    gateway.provider.script({ status: 529 });
    expect(await failure(client.chat.completions.create(request))).toMatchObject({
      status: expect.toSatisfy((status) => status >= 500),
      type: 'upstream_error',
    });
  });

  it.each([
    ['is cut', { truncate: { after_events: 6 } }],
    ['is reset', { reset: { after_events: 6 } }],
    ['has an error event', { sse: 'error_event' as const }],
  ])('raises when its stream %s in the middle', async (_what, fault) => {
    gateway.provider.script({ content: 'word '.repeat(50), ...fault });
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const error = await failure(Array.fromAsync(stream));
    expect(error).toMatchObject({ type: 'upstream_error' });
  });

  it('aborts a stream, and the provider sees its request closed within 100 ms', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    const stream = await client.chat.completions.create({ ...request, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    using lag = watchLag();
    const abortedAtMs = performance.now();
    const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
    expect(reason).toBe('client_closed');
    expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
  });
});

async function failure(promise: PromiseLike<unknown>): Promise<APIError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}
