import { withGateway } from '@model-gateway/test-kit';
import type OpenAI from 'openai';
import { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';
import { BROKEN_STREAMS, expectClosedAtOnce, failureOf } from './client-outcomes.ts';
import { openAiOf } from './official-clients.ts';

/**
 * Tests what tests/clients leaves out of OpenAI's client: errors, aborts, lists of models and fields of one
 * kind.
 */

const gateway = withGateway({ catalog: true, document: bothApis });
const clientOf = (apiKey: string) => openAiOf(gateway, apiKey);
const create = (body: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>, signal?: AbortSignal) =>
  openAiOf(gateway).chat.completions.create(body, signal === undefined ? {} : { signal });
const stream = (body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, 'stream'>) =>
  openAiOf(gateway).chat.completions.create({ ...body, stream: true });
const lastBody = () => gateway.provider.requests.at(-1)?.body;

const QUESTION = { role: 'user' as const, content: 'Why is the sky blue?' };
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

describe.each([
  ['Chat Completions', CHAT],
  ['Messages', CLAUDE],
])("OpenAI's client and a model whose provider serves %s", (_name, model) => {
  const request = { model, messages: [QUESTION] };

  it('a completion comes with the headers of the gateway', async () => {
    const { data: completion, response } = await create(request).withResponse();
    expect(completion).toMatchObject({ object: 'chat.completion', model });
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(response.headers.get('x-gateway-model')).toBe(model);
    expect(Number(response.headers.get('x-gateway-overhead-ms'))).toBeGreaterThan(0);
  });

  it('a stream has usage only on request', async () => {
    const silent = await Array.fromAsync(await stream(request));
    expect(silent.every(({ choices, usage }) => usage === undefined && choices.length === 1)).toBe(true);
    if (model === CHAT) expect(lastBody()).toMatchObject({ stream_options: { include_usage: true } });
    const chunks = await Array.fromAsync(
      await stream({ ...request, stream_options: { include_usage: true } }),
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    if (model === CHAT) expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('the provider sees its request closed within 100 ms after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    const answer = await stream(request);
    for await (const chunk of answer) if (chunk.choices[0]?.delta.content) break;
    await expectClosedAtOnce(gateway, () => undefined);
  });

  it('the provider sees its request closed within 100 ms after the client aborts a waiting request', async () => {
    gateway.provider.script({ delay_ms: 10_000 });
    const leave = new AbortController();
    const aborted = expect(create(request, leave.signal)).rejects.toThrow();
    await expectClosedAtOnce(gateway, () => leave.abort());
    await aborted;
  });

  it.each(BROKEN_STREAMS)('the client raises when its stream %s in the middle', async (_what, fault) => {
    gateway.provider.script({ content: 'word '.repeat(50), ...fault });
    const error = await failureOf(Array.fromAsync(await stream(request)), APIError);
    expect(error).toMatchObject({ type: 'upstream_error' });
  });
});

describe("OpenAI's client", () => {
  const request = { model: CHAT, messages: [QUESTION] };

  it('the client lists models and retrieves one whose id has a slash', async () => {
    const { models } = openAiOf(gateway);
    expect((await Array.fromAsync(models.list())).map(({ id }) => id)).toContain('sim/chat-pro');
    expect(await models.retrieve('sim/chat-pro')).toMatchObject({
      id: 'sim/chat-pro',
      object: 'model',
      owned_by: 'sim',
    });
    expect(await failureOf(models.retrieve('sim/nothing'), APIError)).toBeInstanceOf(NotFoundError);
  });

  it('the client raises its own error classes, with the code, the param and the request id', async () => {
    const stranger = clientOf('gw_live_nonsense');
    const unauthorized = await failureOf(stranger.chat.completions.create(request), AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_api_key' });
    await failureOf(stranger.models.list(), AuthenticationError);
    const unknown = await failureOf(create({ ...request, model: 'sim/nothing' }), NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' });
    const invalid = await failureOf(create({ ...request, messages: [] }), BadRequestError);
    expect(invalid).toMatchObject({ code: 'invalid_request', param: 'messages' });
    expect(invalid.requestID).toMatch(/^req_/);
  });
});

describe("OpenAI's client and a model of Anthropic", () => {
  const request = { model: CLAUDE, messages: [QUESTION] };

  it("a request without max_tokens gets the model's maximum", async () => {
    const system = { role: 'system' as const, content: 'Be brief.' };
    await create({ ...request, messages: [system, { role: 'developer', content: 'Be kind.' }, QUESTION] });
    expect(lastBody()).toMatchObject({ max_tokens: 64_000 });
  });

  it.each(['required' as const, { type: 'function' as const, function: { name: 'get_weather' } }])(
    'tool_choice %j forces a tool call',
    async (tool_choice) => {
      const { choices } = await create({ ...request, tools, tool_choice });
      expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }]);
    },
  );

  it('a thought with a changed signature is refused', async () => {
    const asked = { role: 'user' as const, content: 'use get_weather: {"city":"Oslo"}' };
    const reasoning = { ...request, tools, reasoning_effort: 'low' as const };
    const [choice] = (await create({ ...reasoning, messages: [asked] })).choices;
    if (choice === undefined) throw new Error('there was no choice');
    const { message } = choice;
    const { reasoning_details: details } = z
      .looseObject({ reasoning_details: z.array(z.looseObject({ signature: z.string() })).min(1) })
      .parse(message);
    const result = {
      role: 'tool' as const,
      tool_call_id: message.tool_calls?.[0]?.id ?? '',
      content: 'sunny',
    };
    const forged = details.map((detail) => ({ ...detail, signature: `${detail.signature}A` }));
    const messages = [asked, { ...message, ...{ reasoning_details: forged } }, result];
    const refused = await failureOf(create({ ...reasoning, messages }), BadRequestError);
    expect(refused.message).toContain('signature');
  });

  it('thoughts come before text in a stream', async () => {
    const parts: string[] = [];
    for await (const { choices } of await stream({ ...request, reasoning_effort: 'low' })) {
      const delta = z.looseObject({}).parse(choices[0]?.delta ?? {});
      if (delta.reasoning_content) parts.push('thought');
      if (delta.content) parts.push('text');
    }
    expect(parts[0]).toBe('thought');
    expect(parts.indexOf('text')).toBeGreaterThan(parts.lastIndexOf('thought'));
  });

  it('a field that Anthropic lacks is refused by name, or named as ignored', async () => {
    for (const [param, more] of [
      ['n', { n: 2 }],
      ['logprobs', { logprobs: true }],
    ] as const) {
      const refused = await failureOf(create({ ...request, ...more }), BadRequestError);
      expect(refused).toMatchObject({ code: 'invalid_request', param });
      expect(refused.message).toContain(CLAUDE);
    }
    expect(gateway.provider.requests).toEqual([]);
    const { response } = await create({ ...request, user: 'a', store: false }).withResponse();
    const ignored = response.headers.get('x-gateway-ignored')?.split(/, ?/) ?? [];
    expect(ignored).toEqual(expect.arrayContaining(['user', 'store']));
  });
});
