import { type CallableTool, GatewayError, NO_UNITS, type ResponsesEcho } from '@model-gateway/shared';
import {
  badGateway,
  insufficientBalance,
  providerLimits,
  providerRejected,
} from '@model-gateway/shared/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ReadResponse,
  type ResponseItem,
  readResponseStream,
  writtenResponse,
} from '../../../tests/responses-grammar.ts';
import { rejected } from '../../failures/provider-failures.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { ToolNames } from '../chat-request/tool-names.ts';
import { readEncryptedContent } from './responses-carried-reasoning.ts';
import { ResponsesWriter } from './responses-writer.ts';

const REQUEST = [Buffer.from(JSON.stringify({ input: 'x'.repeat(36) }))];
const MOST = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const TOOLS: CallableTool[] = [
  { isCustom: false, name: 'look', namespace: undefined },
  { isCustom: true, name: 'patch', namespace: undefined },
  { isCustom: false, name: 'spawn', namespace: 'agents' },
  { isCustom: true, name: 'run', namespace: 'agents' },
];
const NAMES = new ToolNames(TOOLS);

interface Asked {
  echo?: ResponsesEcho;
  wantsEncrypted?: boolean;
}

function newWriter({ echo = {}, wantsEncrypted = true }: Asked = {}) {
  const meter = new ChatMeter(REQUEST, { max: MOST, mediaParts: 0, mediaPartTokens: 1_600 });
  const ids = { seal: (providerId: string, responseId: string) => `resp_${providerId}_${responseId}` };
  const request = { callableTools: TOOLS, echo, wantsEncrypted };
  return { meter, writer: new ResponsesWriter(meter, { modelId: 'acme/small', request, ids }) };
}

const chunkOf = (delta: object, finish_reason: string | null = null, more: object = {}): ChatResponse => ({
  id: 'chatcmpl-1',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const usageChunk = (usage: object = USAGE): ChatResponse => ({ choices: [], usage });
const called = (index: number, args: string, id?: string, name?: string) => ({
  tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: { name, arguments: args } }],
});

type Told = ReadResponse & { text: string; failure?: unknown };

/** The stream as far as it comes, with the event of its failure. */
function told(
  chunks: readonly ChatResponse[],
  { ends = true, ...asked }: Asked & { ends?: boolean } = {},
): Told {
  const { writer } = newWriter(asked);
  let text = '';
  let failure: unknown;
  try {
    for (const chunk of chunks) text += writer.chunk(chunk);
    if (ends) text += writer.end();
  } catch (thrown) {
    failure = thrown;
    if (thrown instanceof GatewayError) text += writer.failure(thrown, 'req_1');
  }
  const read = readResponseStream(text);
  return failure === undefined ? { ...read, text } : { ...read, text, failure };
}

function whole(
  message: object,
  finish_reason: string | null = 'stop',
  asked: Asked = {},
  usage: unknown = USAGE,
) {
  const { writer } = newWriter(asked);
  const { body, usage: billed } = writer.completion({
    choices: [{ index: 0, message, finish_reason }],
    usage,
  });
  return { body: writtenResponse.parse(JSON.parse(String(body))), usage: billed };
}

/** Returns an item without its ids. */
function said(item: ResponseItem): unknown {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => (part.type === 'refusal' ? { refusal: part.refusal } : part.text));
    case 'reasoning':
      return { thought: item.summary.map(({ text }) => text).join() };
    case 'function_call':
      return { [item.name]: item.arguments, id: item.call_id };
    default:
      return { [item.name]: { input: item.input }, id: item.call_id };
  }
}

describe('a stream', () => {
  it('a stream of text becomes one message, and its last event has the whole response with its usage', () => {
    const { response, items, isComplete } = told([
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf({ content: 'Hel' }),
      chunkOf({ content: 'lo "you"\n' }),
      chunkOf({}, 'stop'),
      usageChunk(),
    ]);
    expect(isComplete).toBe(true);
    expect(items.map(said)).toEqual([['Hello "you"\n']]);
    expect(response).toMatchObject({
      status: 'completed',
      model: 'acme/small',
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 17,
      },
    });
  });

  it('reasoning, text and calls become items of their own, each done before the next', () => {
    const { items } = told([
      chunkOf({ role: 'assistant', reasoning_content: 'Hm' }),
      chunkOf({ reasoning_content: '.' }),
      chunkOf({ content: 'I look.' }),
      chunkOf(called(0, '', 'a', 'look')),
      chunkOf(called(0, '{"at":')),
      chunkOf(called(0, '1}')),
      chunkOf(called(1, '{}', 'b', 'stop')),
      chunkOf({ content: 'Done.' }),
      chunkOf({}, 'tool_calls'),
    ]);
    expect(items.map(said)).toEqual([
      { thought: 'Hm.' },
      ['I look.'],
      { look: '{"at":1}', id: 'a' },
      { stop: '{}', id: 'b' },
      ['Done.'],
    ]);
  });

  it('calls whose pieces alternate become separate items', () => {
    const { items } = told([
      chunkOf({ tool_calls: [...called(0, '', 'a', 'x').tool_calls, ...called(1, '', 'b', 'y').tool_calls] }),
      chunkOf(called(1, '{"n":')),
      chunkOf(called(0, '{"n":')),
      chunkOf({ content: 'between' }),
      chunkOf({ reasoning_content: 'thought' }),
      chunkOf(called(1, '2}')),
      chunkOf(called(0, '1}')),
      chunkOf({}, 'tool_calls'),
    ]);
    expect(items.map(said)).toEqual([
      { x: '{"n":1}', id: 'a' },
      { y: '{"n":2}', id: 'b' },
      ['between'],
      { thought: 'thought' },
    ]);
  });

  it('names of namespaced tools, and the text of custom tools, are restored', () => {
    const args = JSON.stringify({ input: '*** Begin\n"é😀"' });
    const pieces = [args.slice(0, 14), args.slice(14, 20), args.slice(20)];
    const { items, text } = told([
      chunkOf(called(0, '{}', 'a', NAMES.of('spawn', 'agents'))),
      chunkOf(called(1, '', 'b', 'patch')),
      ...pieces.map((piece) => chunkOf(called(1, piece))),
      chunkOf(called(2, '{"input":"ls"}', 'c', NAMES.of('run', 'agents'))),
      chunkOf({}, 'tool_calls'),
    ]);
    expect(items).toMatchObject([
      { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{}', call_id: 'a' },
      { type: 'custom_tool_call', name: 'patch', input: '*** Begin\n"é😀"', call_id: 'b' },
      { type: 'custom_tool_call', name: 'run', namespace: 'agents', input: 'ls', call_id: 'c' },
    ]);
    expect(items[1]).not.toHaveProperty('namespace');
    // The text is told as it comes.
    expect(text.match(/custom_tool_call_input\.delta\n/g)?.length).toBeGreaterThan(2);
  });

  it('any input of a custom tool is passed on, unless it may be incomplete', () => {
    const { items } = told([chunkOf(called(0, '*** Begin', 'a', 'patch')), chunkOf({}, 'tool_calls')]);
    expect(items.map(said)).toEqual([{ patch: { input: '*** Begin' }, id: 'a' }]);
    const cut = told([chunkOf(called(0, '{"input":"rm -rf ./b', 'a', 'patch')), chunkOf({}, 'stop')]);
    expect(cut).toMatchObject({ items: [], hasFailed: true });
  });

  it('a refusal of the model is a part of its own', () => {
    const { items, response } = told([
      chunkOf({ content: 'Well. ' }),
      chunkOf({ refusal: 'I ' }),
      chunkOf({ refusal: 'cannot.' }, 'stop'),
    ]);
    expect(items.map(said)).toEqual([['Well. ', { refusal: 'I cannot.' }]]);
    expect(response?.status).toBe('completed');
  });

  it('cited pages have their places in the text that cites them', () => {
    const cited = (start_index: number, end_index: number) => ({
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example', title: 'A', start_index, end_index },
        },
        { type: 'other' },
      ],
    });
    const { items } = told([
      chunkOf({ content: 'First.' }),
      chunkOf(called(0, '{}', 'a', 'look')),
      chunkOf({ content: 'Second.' }),
      chunkOf(cited(6, 13)),
      chunkOf({}, 'stop'),
    ]);
    const annotation = {
      type: 'url_citation',
      url: 'https://a.example',
      title: 'A',
      start_index: 0,
      end_index: 7,
    };
    expect(items[2]).toMatchObject({ content: [{ text: 'Second.', annotations: [annotation] }] });
  });

  it('state that a provider wants back is carried byte for byte where the caller can send it again', () => {
    const signature = 'EuYBCkQ+/=\u00e9';
    const format = 'anthropic-claude-v1';
    const chunks = [
      chunkOf({
        reasoning_content: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format, index: 0 }],
      }),
      chunkOf({ reasoning_details: [{ type: 'reasoning.text', signature, index: 0 }] }),
      chunkOf({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', format, index: 1 }] }),
      chunkOf({ content: 'Well.' }, 'stop'),
    ];
    const [item] = told(chunks).items;
    expect(item).toMatchObject({ type: 'reasoning', summary: [{ text: 'Hm' }] });
    expect(item?.type === 'reasoning' && readEncryptedContent(item.encrypted_content ?? '')).toEqual({
      field: 'reasoning_content',
      text: 'Hm',
      details: [
        { type: 'reasoning.text', text: 'Hm', format, signature },
        { type: 'reasoning.encrypted', data: 'xyz', format },
      ],
    });
    const [plain] = told(chunks, { wantsEncrypted: false }).items;
    expect(plain).toMatchObject({ type: 'reasoning', summary: [{ text: 'Hm' }] });
    expect(plain).not.toHaveProperty('encrypted_content');
  });

  it('reasoning without text becomes an item only where that item tells the caller something', () => {
    const chunks = [
      chunkOf({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz' }] }),
      chunkOf({ content: 'Well.' }, 'stop'),
    ];
    expect(told(chunks).items.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(told(chunks, { wantsEncrypted: false }).items.map(({ type }) => type)).toEqual(['message']);
  });

  it.each([true, false])(
    'state that Gemini wants back is carried with its call, asked for or not: %s',
    (wantsEncrypted) => {
      const extra_content = { google: { thought_signature: 's' } };
      const call = { index: 0, id: 'a', extra_content, function: { name: 'look', arguments: '{}' } };
      const { items } = told([chunkOf({ tool_calls: [call] }, 'tool_calls')], { wantsEncrypted });
      expect(items.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
      const [item] = items;
      expect(item?.type === 'reasoning' && readEncryptedContent(item.encrypted_content ?? '')).toEqual({
        calls: [{ id: 'a', extra_content }],
      });
    },
  );

  it.each<[string, string, string | undefined, object]>([
    ['stop', 'completed', undefined, { content: 'a' }],
    ['length', 'incomplete', 'max_output_tokens', { content: 'a' }],
    ['tool_calls', 'completed', undefined, called(0, '{}', 'a', 'look')],
    ['stop', 'completed', undefined, called(0, '{}', 'a', 'look')],
    ['content_filter', 'incomplete', 'content_filter', { content: 'a' }],
    ['a word of tomorrow', 'completed', undefined, { content: 'a' }],
  ])('a stream that ends with %s is %s', (finish, status, reason, delta) => {
    const incomplete_details = reason === undefined ? null : { reason };
    const { response } = told([chunkOf(delta), chunkOf({}, finish)]);
    expect(response).toMatchObject({ status, incomplete_details, output: [{ status }] });
    const { body } = whole({ content: null, ...delta }, finish);
    expect(body).toMatchObject({ status, incomplete_details, output: [{ status }] });
  });

  it('a stream without a word is complete where its provider says why it ended', () => {
    expect(told([chunkOf({ role: 'assistant' }), chunkOf({}, 'stop')])).toMatchObject({
      items: [],
      isComplete: true,
    });
  });

  it.each<[string, ChatResponse[]]>([
    ['without a finish_reason', [chunkOf({ content: 'a' })]],
    ['without anything', []],
    ['with calls that are not there', [chunkOf({ content: 'a' }, 'tool_calls')]],
    ['with a call without a name', [chunkOf(called(0, '{}', 'a'), 'tool_calls')]],
    ['for want of its provider', [chunkOf({ content: 'a' }, 'insufficient_system_resource')]],
  ])('a stream that ends %s is no success', (_name, chunks) => {
    const { failure, hasFailed, isComplete, response } = told(chunks);
    expect({ hasFailed, isComplete }).toEqual({ hasFailed: true, isComplete: false });
    expect(failure).toMatchObject({ code: 'upstream_error', status: 502 });
    expect(response?.error).toMatchObject({ code: 'server_error', request_id: 'req_1' });
  });

  it.each(['{"a":', '[1]', 'look {'])(
    'a stream passes arguments %j of a function on as the model wrote them',
    (args) => {
      const { isComplete, items } = told([chunkOf(called(0, args, 'a', 'look'), 'tool_calls')]);
      expect(isComplete).toBe(true);
      expect(items.map(said)).toEqual([{ look: args, id: 'a' }]);
    },
  );

  it('a stream that was cut off in a call has no call that anybody could run', () => {
    const { cutCalls, items, response } = told([
      chunkOf({ content: 'I look.' }),
      chunkOf(called(0, '{"a":', 'a', 'look')),
      chunkOf(called(1, '{"b":', 'b', 'look')),
      chunkOf({}, 'length'),
    ]);
    expect(items.map(said)).toEqual([['I look.']]);
    expect(cutCalls).toBe(1);
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    const cut = told([chunkOf(called(0, '{"input":"rm -rf ./b', 'a', 'patch')), chunkOf({}, 'length')]);
    expect(cut).toMatchObject({ items: [], cutCalls: 1, isComplete: true });
  });

  it('two calls never share an id, because their results could not be told apart', () => {
    const { items } = told([
      chunkOf(called(0, '{}', 'a', 'look')),
      chunkOf(called(1, '{}', 'a', 'stop')),
      chunkOf({}, 'tool_calls'),
    ]);
    const ids = items.map((item) => (item.type === 'function_call' ? item.call_id : undefined));
    expect(ids).toEqual(['a', expect.stringMatching(/^call_\w{24}$/)]);
  });

  it('a stream whose provider counts nothing is billed by what went out', () => {
    const { meter, writer } = newWriter();
    writer.chunk(chunkOf(called(0, '{"a":', 'a', 'x')));
    writer.chunk(chunkOf({ content: 'h'.repeat(400) }));
    expect(meter.usage(false)).toMatchObject({ outputTokens: 2, source: 'estimated' });
    writer.chunk(chunkOf(called(0, '1}'), 'stop'));
    writer.end();
    expect(meter.usage(true)).toMatchObject({ outputTokens: 102, source: 'estimated' });
  });

  it('a second attempt begins a new response', () => {
    const { writer } = newWriter();
    writer.chunk(chunkOf({ content: 'lost' }));
    writer.restart();
    const text = writer.chunk(chunkOf({ content: 'kept' }, 'stop')) + writer.end();
    expect(readResponseStream(text).items.map(said)).toEqual([['kept']]);
  });

  it.each<[string, object]>([
    ['text', { content: 'x'.repeat(100_000) }],
    ['reasoning', { reasoning_content: 'x'.repeat(100_000) }],
    ['arguments', called(0, 'x'.repeat(100_000), 'a', 'look')],
  ])('a stream cannot make the gateway hold more than a response may have: %s', (_what, delta) => {
    const { writer } = newWriter();
    const fill = () => {
      for (let piece = 0; piece < 100; piece++) writer.chunk(chunkOf(delta));
    };
    expect(fill).toThrow(GatewayError);
  });
});

describe('a Responses stream that fails', () => {
  const missing = {
    neededNanoUsd: 2n,
    availableNanoUsd: 1n,
    heldNanoUsd: 0n,
    resetsAt: undefined,
    fitsMaxTokens: undefined,
  };

  it.each<[string, GatewayError, string, RegExp]>([
    ['the balance', insufficientBalance(missing), 'insufficient_quota', /balance/],
    ['a limit', providerLimits(7), 'rate_limit_exceeded', /Please try again in 7s\.$/],
    ['a provider', badGateway(), 'server_error', /provider/],
    [
      'a conversation that is too long',
      rejected(400, "This model's maximum context length is 8192 tokens."),
      'context_length_exceeded',
      /8192/,
    ],
    ['what was asked', providerRejected(400, 'No such tool.'), 'invalid_prompt', /No such tool/],
  ])('a failed stream says why it failed: %s', (_what, error, code, message) => {
    const { writer } = newWriter();
    const text = writer.chunk(chunkOf({ content: 'a' })) + writer.failure(error, 'req_1');
    const { hasFailed, response } = readResponseStream(text);
    expect(hasFailed).toBe(true);
    expect(response?.error).toEqual({
      ...error.details,
      code,
      message: expect.stringMatching(message),
      request_id: 'req_1',
    });
  });

  it('a stream that fails before its first event is still a valid stream', () => {
    const read = readResponseStream(newWriter().writer.failure(badGateway(), 'req_1'));
    expect(read).toMatchObject({ hasFailed: true, items: [], response: { output: [], usage: null } });
  });

  it('a failed stream has the items that are done, and the next number', () => {
    const { writer } = newWriter();
    const text =
      writer.chunk(chunkOf(called(0, '{}', 'a', 'look'))) +
      writer.chunk(chunkOf({ content: 'half a sen' })) +
      writer.failure(badGateway(), 'req_1');
    const { items, response } = readResponseStream(text);
    expect(items.map(said)).toEqual([{ look: '{}', id: 'a' }]);
    expect(response?.output).toEqual(items);
  });

  it('a stream that fails after its end was written, and before it went out, has failed', () => {
    const { writer } = newWriter();
    const text = writer.chunk(chunkOf({ content: 'a' }, 'stop'));
    writer.end();
    expect(readResponseStream(text + writer.failure(badGateway(), 'req_1'))).toMatchObject({
      hasFailed: true,
      items: [],
    });
  });
});

describe('a passthrough Responses stream', () => {
  const event = (type: string, sequence: number | undefined, response?: object) => ({
    type,
    data: JSON.stringify({
      type,
      sequence_number: sequence,
      ...(response === undefined ? {} : { response }),
    }),
    sequence,
    response: response === undefined ? undefined : { ...response },
  });
  const CREATED = { id: 'resp_1', status: 'in_progress', output: [], tools: [{ type: 'web_search' }] };

  it('events of a provider of the same API pass unchanged, and are counted', () => {
    const { meter, writer } = newWriter();
    expect(writer.passEvent(event('response.created', 0, CREATED), undefined)).toBe(
      `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', sequence_number: 0, response: CREATED })}\n\n`,
    );
    writer.passEvent(event('response.output_text.delta', 1), 'h'.repeat(40));
    expect(meter.usage(false)).toMatchObject({ outputTokens: 10 });
    expect(writer.passResponse('{"id":1}', 'text').body).toBe('{"id":1}');
    expect(writer.passLarge([Buffer.from('{}')], 4).pieces).toEqual([Buffer.from('{}')]);
    expect(writer.sealed('acme', '1')).toBe('resp_acme_1');
  });

  it('a stream that breaks off ends with its own response and the next number', () => {
    const { writer } = newWriter();
    writer.passEvent(event('response.created', 0, CREATED), undefined);
    writer.passEvent(event('response.output_text.delta', 7), 'a');
    // It waits until all else is done, and never goes out.
    writer.passEvent(event('response.completed', 8, { ...CREATED, status: 'completed' }), undefined);
    const [, data = ''] =
      /^event: response\.failed\ndata: (.*)\n\n$/.exec(writer.failure(badGateway(), 'req_1')) ?? [];
    expect(JSON.parse(data)).toEqual({
      type: 'response.failed',
      sequence_number: 8,
      response: { ...CREATED, status: 'failed', error: expect.objectContaining({ code: 'server_error' }) },
    });
  });

  it('events get numbers where the provider sends none', () => {
    const { writer } = newWriter();
    writer.passEvent(event('response.created', undefined, CREATED), undefined);
    writer.passEvent(event('response.in_progress', undefined, CREATED), undefined);
    expect(writer.failure(badGateway(), 'req_1')).toContain('"sequence_number":2');
  });

  it('a stream ends once, also where its provider has reported the failure', () => {
    const { writer } = newWriter();
    writer.passEvent(event('response.created', 0, CREATED), undefined);
    writer.passEvent(event('response.failed', 1, { ...CREATED, status: 'failed' }), undefined);
    expect(writer.failure(badGateway(), 'req_1')).toBe('');
  });
});

describe('a whole answer', () => {
  it('a whole answer has all of its items, and all members of a response', () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } },
      { id: 'b', type: 'function', function: { name: 'patch', arguments: '{"input":"x"}' } },
      { id: 'c', type: 'function', function: { name: 'stop', arguments: '' } },
    ];
    const message = { role: 'assistant', reasoning_content: 'Hm.', content: 'I look.', tool_calls };
    const { body, usage } = whole(message, 'tool_calls');
    expect(body.output.map(said)).toEqual([
      { thought: 'Hm.' },
      ['I look.'],
      { look: '{"n":1}', id: 'a' },
      { patch: { input: 'x' }, id: 'b' },
      { stop: '{}', id: 'c' },
    ]);
    const { completed_at, created_at, id, output, ...rest } = body;
    expect(rest).toEqual({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'acme/small',
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 17,
      },
      previous_response_id: null,
      instructions: null,
      tool_choice: 'auto',
      truncation: 'disabled',
      parallel_tool_calls: true,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      temperature: 1,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      safety_identifier: null,
      prompt_cache_key: null,
      user: null,
      tools: [],
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
      store: false,
      background: false,
      service_tier: 'default',
    });
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 5, source: 'provider' });
  });

  it('a whole response repeats its request, and has its own values', () => {
    const tools = [
      { type: 'function', name: 'look', parameters: { type: 'object' } },
      { type: 'custom', name: 'patch' },
      { type: 'web_search' },
    ];
    const echo = {
      tools,
      tool_choice: { type: 'function', name: 'look' },
      temperature: 0.5,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
      truncation: 'auto',
      store: true,
      background: false,
      service_tier: 'auto',
    };
    const { body } = whole({ content: 'a' }, 'stop', { echo });
    expect(body).toMatchObject({
      ...echo,
      tools: [{ ...tools[0], description: null, strict: null }, tools[1], tools[2]],
      reasoning: { effort: 'low', summary: null },
      text: { verbosity: 'low', format: { type: 'text' } },
      store: false,
      service_tier: 'default',
    });
  });

  it('the text format has all members that strict clients look for', () => {
    const format = { type: 'json_schema', name: 'city', schema: { type: 'object' } };
    const { body } = whole({ content: '{}' }, 'stop', { echo: { text: { format } } });
    expect(body.text).toEqual({ format: { ...format, description: null, strict: false } });
  });

  it('a whole answer leaves out a call that its length cut off, and passes broken arguments on', () => {
    const cut = { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":' } };
    const message = { role: 'assistant', content: 'I look.', tool_calls: [cut] };
    expect(whole(message, 'length').body.output.map(said)).toEqual([['I look.']]);
    expect(whole(message, 'tool_calls').body.output.map(said)).toEqual([
      ['I look.'],
      { look: '{"n":', id: 'a' },
    ]);
  });

  it('an impossible count of the provider is replaced by our own', () => {
    const { body, usage } = whole({ content: 'x'.repeat(40) }, 'stop', {}, { prompt_tokens: -1 });
    expect(usage).toMatchObject({ outputTokens: 10, source: 'estimated' });
    expect(body.usage).toMatchObject({ output_tokens: 10 });
  });
});

const words = fc.string({ maxLength: 8 });
const deltas = fc.oneof(
  fc.record({ content: fc.oneof(words, fc.constant(null)) }),
  fc.record({ reasoning_content: words, content: words }),
  fc.record({ reasoning: words }),
  fc.record({
    reasoning_details: fc.array(
      fc.record(
        {
          type: fc.constantFrom('reasoning.text', 'reasoning.encrypted', 'reasoning.summary', 'other'),
          text: words,
          data: words,
          signature: words,
          format: fc.constantFrom('anthropic-claude-v1', 'other'),
        },
        { requiredKeys: ['type'] },
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({ refusal: words }),
  fc.record({
    annotations: fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          type: fc.constant('url_citation'),
          url_citation: fc.record({ url: words, start_index: fc.integer(), end_index: fc.double() }),
        }),
      ),
      { maxLength: 2 },
    ),
  }),
  fc.record({
    tool_calls: fc.array(
      fc.record(
        {
          index: fc.nat(3),
          id: fc.constantFrom('', 'a', 'b'),
          extra_content: fc.oneof(fc.constant({ google: {} }), fc.jsonValue()),
          function: fc.record(
            {
              name: fc.constantFrom('', 'look', 'patch', NAMES.of('run', 'agents'), 'other'),
              arguments: fc.constantFrom('', '{', '}', '{}', '"a":1', ' ', 'x', '{"input":"', '\\u00', '"}'),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['function'] },
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({ function_call: fc.record({ name: words, arguments: words }) }),
  fc.dictionary(words, fc.jsonValue(), { maxKeys: 3 }),
);
const chunks = fc.array(
  fc.oneof(
    deltas.map((delta) => chunkOf(delta)),
    fc
      .tuple(deltas, fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'error', ''))
      .map(([delta, finish]) => chunkOf(delta, finish)),
    fc.jsonValue().map((usage) => ({ choices: [], usage })),
    fc.constant(usageChunk()),
  ),
  { maxLength: 12 },
);

describe('any order of chunks, cut anywhere', () => {
  it('chunks in any order, cut anywhere, become valid Responses events, and a success only if the provider sent one', () => {
    fc.assert(
      fc.property(chunks, fc.boolean(), fc.boolean(), (sent, ends, wantsEncrypted) => {
        const { failure, hasFailed, isComplete } = told(sent, { ends, wantsEncrypted });
        if (failure !== undefined) expect(failure).toBeInstanceOf(GatewayError);
        expect(isComplete).toBe(ends && failure === undefined);
        expect(hasFailed).toBe(failure !== undefined);
        const reasons = sent.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
        if (isComplete) expect(reasons.some((reason) => reason !== null && reason !== '')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('chunks in any order, cut anywhere, lose nothing that was written', () => {
    const members = fc.constantFrom('content', 'reasoning_content', 'refusal');
    fc.assert(
      fc.property(fc.array(fc.tuple(members, words)), (written) => {
        const { items, isComplete } = told([
          ...written.map(([member, text]) => chunkOf({ [member]: text })),
          chunkOf({}, 'stop'),
        ]);
        expect(isComplete).toBe(true);
        const all = (wanted: string) =>
          written.flatMap(([member, text]) => (member === wanted ? text : [])).join('');
        const parts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
        const texts = (wanted: string) =>
          parts
            .filter(({ type }) => type === wanted)
            .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
            .join('');
        expect(texts('output_text')).toBe(all('content'));
        expect(texts('refusal')).toBe(all('refusal'));
        const thoughts = items.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
        expect(thoughts.map(({ text }) => text).join('')).toBe(all('reasoning_content'));
      }),
    );
  });

  it('an answer is the same, whole or in events', () => {
    const calls = fc.array(
      fc.tuple(
        fc.constantFrom('look', 'patch', 'other'),
        fc.constantFrom('{}', '{"input":"a b"}', '{"n":[1]}'),
      ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(words, words, calls, fc.nat(20), (reasoning_content, content, called, at) => {
        const tool_calls = called.map(([name, args], index) => ({
          index,
          id: `call_${index}`,
          function: { name, arguments: args },
        }));
        const finish = called.length > 0 ? 'tool_calls' : 'stop';
        const one = whole({ reasoning_content, content, tool_calls }, finish).body.output.map(said);
        const pieces = tool_calls.flatMap((call) => {
          const { arguments: args, name } = call.function;
          const more = { index: call.index, function: { arguments: args.slice(at) } };
          return [
            chunkOf({ tool_calls: [{ ...call, function: { name, arguments: args.slice(0, at) } }] }),
            chunkOf({ tool_calls: [more] }),
          ];
        });
        const { items } = told([
          chunkOf({ reasoning_content }),
          chunkOf({ content: content.slice(0, at) }),
          chunkOf({ content: content.slice(at) }),
          ...pieces,
          chunkOf({}, finish),
        ]);
        expect(items.map(said)).toEqual(one);
      }),
    );
  });
});
