import { withGateway } from '@model-gateway/test-kit';
import type OpenAI from 'openai';
import {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import { describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND, RESPONSES, TRANSLATED } from './all-apis.ts';
import { CLAUDE } from './both-apis.ts';
import {
  BROKEN_STREAMS,
  createLimitedKey,
  createPoorKey,
  expectClosedAtOnce,
  failureOf,
} from './client-outcomes.ts';
import { openAiOf } from './official-clients.ts';

/** Tests what tests/clients leaves out of OpenAI's Responses: custom tools, errors, aborts, storage. */

const gateway = withGateway({ document: allApis });
const clientOf = (apiKey: string) => openAiOf(gateway, apiKey);
const responses = () => clientOf(gateway.rawKey).responses;

const QUESTION = 'Why is the sky blue?';
const asks = (content: string) => ({ type: 'message' as const, role: 'user' as const, content });
const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};
const NOTE: OpenAI.Responses.CustomTool = {
  type: 'custom',
  name: 'write_note',
  description: 'Keeps a note.',
  format: { type: 'text' },
};
const TEXT = 'first line\n"second" line\n\ttabs, é and 🌊';

type Ask = (
  body: Partial<Omit<OpenAI.Responses.ResponseCreateParams, 'stream'>>,
) => PromiseLike<OpenAI.Responses.Response>;

describe.each(EVERY_KIND)("OpenAI's client and a model of %s", (_name, model) => {
  const request = { model, input: QUESTION, store: false };
  /** The same request without a stream, and with one. */
  const ways: readonly Ask[] = [
    (body) => responses().create({ ...request, ...body }),
    (body) =>
      responses()
        .stream({ ...request, ...body })
        .finalResponse(),
  ];

  it.each(['required' as const, { type: 'function' as const, name: 'get_weather' }])(
    'tool_choice %j forces a tool call',
    async (tool_choice) => {
      const { output } = await responses().create({ ...request, tools: [WEATHER], tool_choice });
      expect(output).toMatchObject([{ type: 'function_call', name: 'get_weather', status: 'completed' }]);
    },
  );

  it('a custom tool call arrives with its text unchanged', async () => {
    const asked = asks(`use write_note: ${JSON.stringify({ input: TEXT })}`);
    for (const ask of ways) {
      const first = await ask({ tools: [NOTE, WEATHER], input: [asked] });
      const call = first.output.find((item) => item.type === 'custom_tool_call');
      expect(call).toMatchObject({ name: 'write_note', input: TEXT });
      const call_id = call?.call_id ?? '';
      const result = { type: 'custom_tool_call_output' as const, call_id, output: 'kept' };
      const input = [asked, ...toResponseInputItems(first.output), result];
      expect((await ask({ tools: [NOTE, WEATHER], input })).output_text).not.toBe('');
    }
    const events = await Array.fromAsync(
      await responses().create({ ...request, tools: [NOTE], input: [asked], stream: true }),
    );
    const deltas = events.flatMap((event) =>
      event.type === 'response.custom_tool_call_input.delta' ? event.delta : [],
    );
    expect(deltas.join('')).toBe(TEXT);
    const done = { type: 'response.custom_tool_call_input.done', input: TEXT };
    expect(events).toContainEqual(expect.objectContaining(done));
  });

  it('tools of a namespace are called by their two names', async () => {
    const tools = [
      { type: 'namespace' as const, name: 'notes', description: 'Notes.', tools: [WEATHER, NOTE] },
    ];
    // A provider of another API gets each of them under one joined name.
    const prefix = model === RESPONSES ? '' : 'notes__';
    const asked = asks(
      `use ${prefix}write_note: {"input":"a"}\nalso use ${prefix}get_weather: {"city":"Oslo"}`,
    );
    for (const ask of ways) {
      const first = await ask({ tools, input: [asked] });
      expect(first.output.filter(({ type }) => type.endsWith('_call'))).toMatchObject([
        { type: 'custom_tool_call', name: 'write_note', namespace: 'notes', input: 'a' },
        { type: 'function_call', name: 'get_weather', namespace: 'notes', arguments: '{"city":"Oslo"}' },
      ]);
      const results = first.output.flatMap((item) => {
        if (item.type === 'custom_tool_call')
          return { type: 'custom_tool_call_output' as const, call_id: item.call_id, output: 'kept' };
        if (item.type !== 'function_call') return [];
        return { type: 'function_call_output' as const, call_id: item.call_id, output: 'rain' };
      });
      const input = [asked, ...toResponseInputItems(first.output), ...results];
      expect((await ask({ tools, input })).output_text).not.toBe('');
    }
  });

  it('the provider sees its request closed within 100 ms after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    const stream = await responses().create({ ...request, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await expectClosedAtOnce(gateway, () => undefined);
  });

  it('the provider sees its request closed within 100 ms after the client aborts a waiting request', async () => {
    gateway.provider.script({ delay_ms: 10_000 });
    const leave = new AbortController();
    const aborted = expect(responses().create(request, { signal: leave.signal })).rejects.toThrow();
    await expectClosedAtOnce(gateway, () => leave.abort());
    await aborted;
  });

  it.each(BROKEN_STREAMS)(
    'the client raises when its stream %s in the middle, and never sees it completed',
    async (_what, fault) => {
      gateway.provider.script({ content: 'word '.repeat(50), ...fault });
      const types: string[] = [];
      const stream = await responses().create({ ...request, stream: true });
      const readAll = async () => {
        for await (const event of stream) types.push(event.type);
      };
      await expect(readAll()).rejects.toThrow();
      expect(types[0]).toBe('response.created');
      // An error event of the provider passes before it, and makes this client raise at once.
      if (model !== RESPONSES || !('sse' in fault)) expect(types.at(-1)).toBe('response.failed');
      expect(types).not.toContain('response.completed');

      gateway.provider.script({ content: 'word '.repeat(50), ...fault });
      const helper = responses().stream(request);
      helper.on('error', () => undefined);
      await expect(helper.finalResponse()).rejects.toThrow();
    },
  );

  it('the client raises its own error classes, with the code, the param and the request id', async () => {
    const stranger = clientOf('gw_live_nonsense');
    const unauthorized = await failureOf(stranger.responses.create(request), AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(unauthorized.requestID).toMatch(/^req_/);
    const unknown = await failureOf(responses().create({ ...request, model: 'sim/nothing' }), NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' });
    const invalid = await failureOf(
      responses().create({ ...request, max_output_tokens: -1 }),
      BadRequestError,
    );
    expect(invalid).toMatchObject({ code: 'invalid_request', param: 'max_output_tokens' });
    gateway.provider.script({ status: 500 });
    const failed = await failureOf(responses().create(request), InternalServerError);
    expect(failed).toMatchObject({ status: 502, code: 'upstream_error' });
    gateway.provider.script({ status: 429, retry_after: '17' });
    const limited = await failureOf(responses().create(request), RateLimitError);
    expect(limited).toMatchObject({ status: 429, code: 'upstream_rate_limited' });
    expect(limited.headers?.get('retry-after')).toBe('17');
  });

  it('the client raises its own error classes for rate limits and missing money, streamed or not', async () => {
    const limited = clientOf(await createLimitedKey(gateway));
    await limited.responses.create(request);
    const poor = clientOf(await createPoorKey(gateway));
    for (const stream of [false, true]) {
      const error = await failureOf(limited.responses.create({ ...request, stream }), RateLimitError);
      expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
      const paid = { ...request, model: model.replace('free', 'pro'), stream };
      const unpaid = await failureOf(poor.responses.create(paid), APIError);
      expect(unpaid).toMatchObject({ status: 402, code: 'insufficient_balance' });
    }
  });
});

describe("OpenAI's client and a model whose provider has Responses", () => {
  const request = { model: RESPONSES, input: QUESTION };

  it('the client continues from a response, and gets, lists and deletes stored ones', async () => {
    const first = await responses().create(request);
    const second = await responses()
      .stream({ ...request, previous_response_id: first.id })
      .finalResponse();
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
    expect(await responses().retrieve(first.id)).toEqual(first);
    const items = await Array.fromAsync(responses().inputItems.list(first.id));
    expect(items).toMatchObject([{ type: 'message', role: 'user' }]);
    await responses().delete(first.id);
    await failureOf(responses().retrieve(first.id), NotFoundError);
  });

  it("a client finds nothing under the id of another account's response", async () => {
    const { id } = await responses().create(request);
    const { responses: stranger } = clientOf((await gateway.createKey()).rawKey);
    for (const call of [
      () => stranger.retrieve(id),
      () => stranger.cancel(id),
      () => stranger.delete(id),
      () => Array.fromAsync(stranger.inputItems.list(id)),
      () => stranger.create({ ...request, previous_response_id: id }),
    ])
      await failureOf(call(), NotFoundError);
    expect((await responses().retrieve(id)).id).toBe(id);
  });
});

describe.each(TRANSLATED)("OpenAI's client and a model of %s, which stores nothing", (_name, model) => {
  const request = { model, input: QUESTION };

  it('the error asks for `store: false` when a request refers to a response that nobody stored', async () => {
    const { id, output } = await responses().create(request);
    const [message] = output;
    if (message?.type !== 'message') throw new Error(`it began with ${message?.type}`);
    for (const [param, more] of [
      ['previous_response_id', { previous_response_id: id }],
      ['input', { input: [{ type: 'item_reference', id: message.id }] }],
      ['background', { background: true }],
      ['conversation', { conversation: 'conv_1' }],
    ] satisfies [string, Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>][]) {
      const refused = await failureOf(responses().create({ ...request, ...more }), BadRequestError);
      expect(refused.message).toContain('store: false');
      expect(refused.param, param).toMatch(new RegExp(`^${param}`));
    }
    await failureOf(responses().retrieve(id), NotFoundError);
  });
});

it("OpenAI's client sends Claude's encrypted thoughts back, and changed ones are named as ignored", async () => {
  const request = {
    model: CLAUDE,
    store: false,
    include: ['reasoning.encrypted_content' as const],
    reasoning: { effort: 'low' as const, summary: 'auto' as const },
  };
  const asked = asks(QUESTION);
  const first = await responses()
    .stream({ ...request, input: [asked] })
    .finalResponse();
  const [thought, ...rest] = first.output;
  if (thought?.type !== 'reasoning') throw new Error(`it began with ${thought?.type}`);
  expect(thought.encrypted_content?.length).toBeGreaterThan(20);
  const ignoredOf = async (reasoning: OpenAI.Responses.ResponseReasoningItem) => {
    const input = [asked, reasoning, ...toResponseInputItems(rest), asked];
    const { data, response } = await responses()
      .create({ ...request, input })
      .withResponse();
    expect(data.status).toBe('completed');
    return response.headers.get('x-gateway-ignored');
  };
  const lastBody = () => gateway.provider.requests.at(-1)?.bodyText;
  expect(await ignoredOf(thought)).toBeNull();
  expect(lastBody()).toContain('"signature":');
  const changed = `${thought.encrypted_content?.slice(0, -8)}AAAAAAAA`;
  expect(await ignoredOf({ ...thought, encrypted_content: changed })).toContain('encrypted_content');
  expect(lastBody()).not.toContain('"signature":');
});
