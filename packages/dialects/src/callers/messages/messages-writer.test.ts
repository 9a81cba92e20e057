import { GatewayError, NO_UNITS } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ReadMessage, readMessageStream } from '../../../tests/messages-grammar.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { convertMessagesToChat } from './convert-messages-to-chat.ts';
import { readCarriedReasoning } from './messages-carried-reasoning.ts';
import { MessagesWriter } from './messages-writer.ts';

const REQUEST = [Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(36) }] }))];
const MOST = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
const USAGE = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } };

function newWriter() {
  const meter = new ChatMeter(REQUEST, { max: MOST, mediaParts: 0, mediaPartTokens: 1_600 });
  return { meter, writer: new MessagesWriter(meter, 'acme/small') };
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

/** The stream as far as it comes, and whether it has failed. */
function told(
  chunks: readonly ChatResponse[],
  end = true,
): ReadMessage & { text: string; failure?: unknown } {
  const { writer } = newWriter();
  let text = '';
  let failure: unknown;
  try {
    for (const chunk of chunks) text += writer.chunk(chunk);
    if (end) text += writer.end();
  } catch (thrown) {
    failure = thrown;
  }
  const read = readMessageStream(text);
  return failure === undefined ? { ...read, text } : { ...read, text, failure };
}

function whole(message: object, finish_reason: string | null = 'stop', usage: object | undefined = USAGE) {
  const { writer } = newWriter();
  return writer.completion({ choices: [{ index: 0, message, finish_reason }], usage });
}

describe('a stream', () => {
  it('a stream of text becomes one message with one block and the usage of its provider', () => {
    const { text, ...read } = told([
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf({ content: 'Hel' }),
      chunkOf({ content: 'lo "you"\n' }),
      chunkOf({}, 'stop'),
      usageChunk(),
    ]);
    expect(read).toEqual({
      blocks: [{ type: 'text', text: 'Hello "you"\n' }],
      startUsage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      },
      usage: {
        input_tokens: 8,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 5,
      },
      stopReason: 'end_turn',
      isComplete: true,
      hasFailed: false,
    });
    expect(text.match(/event: message_start\n/g)).toHaveLength(1);
  });

  it('a stream begins with the input that its provider counts, where the first chunk has the count', () => {
    const { startUsage } = told([chunkOf({ role: 'assistant' }, null, { usage: USAGE })], false);
    expect(startUsage).toMatchObject({ input_tokens: 8, cache_read_input_tokens: 4 });
  });

  it('a stream never begins with an input of zero, because clients calculate with it', () => {
    const empty = new ChatMeter([Buffer.from('{}')], { max: MOST, mediaParts: 0, mediaPartTokens: 0 });
    const text = new MessagesWriter(empty, 'acme/small').chunk(chunkOf({ role: 'assistant' }));
    expect(readMessageStream(text).startUsage).toMatchObject({ input_tokens: 1 });
  });

  it('reasoning, text and calls become blocks of their own, each closed before the next', () => {
    const { blocks, stopReason } = told([
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
    expect(blocks).toEqual([
      { type: 'thinking', text: 'Hm.', signature: 'kept-by-model-gateway.e30' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', text: '{"at":1}', id: 'a', name: 'look' },
      { type: 'tool_use', text: '{}', id: 'b', name: 'stop' },
      { type: 'text', text: 'Done.' },
    ]);
    expect(stopReason).toBe('tool_use');
  });

  it('calls whose pieces alternate become separate blocks', () => {
    const { blocks } = told([
      chunkOf({ tool_calls: [...called(0, '', 'a', 'x').tool_calls, ...called(1, '', 'b', 'y').tool_calls] }),
      chunkOf(called(1, '{"n":')),
      chunkOf(called(0, '{"n":')),
      chunkOf({ content: 'between' }),
      chunkOf(called(1, '2}')),
      chunkOf(called(0, '1}')),
      chunkOf({}, 'tool_calls'),
    ]);
    expect(blocks).toEqual([
      { type: 'tool_use', text: '{"n":1}', id: 'a', name: 'x' },
      { type: 'tool_use', text: '{"n":2}', id: 'b', name: 'y' },
      { type: 'text', text: 'between' },
    ]);
  });

  it.each<[string, object[]]>([
    [
      'without numbers',
      [
        { id: 'a', function: { name: 'x', arguments: '{}' } },
        { id: 'b', function: { name: 'y', arguments: '{}' } },
      ],
    ],
    [
      'with one number for all',
      [
        { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } },
        { index: 0, id: 'b', function: { name: 'y', arguments: '{}' } },
      ],
    ],
  ])('calls %s are told apart', (_name, tool_calls) => {
    const { blocks } = told([chunkOf({ tool_calls }, 'stop')]);
    expect(blocks.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'x'],
      ['b', 'y'],
    ]);
  });

  it('signed reasoning, and other state that its provider wants back, is carried byte for byte', () => {
    const signature = 'EuYBCkQ+/=\u00e9';
    const encrypted = { type: 'reasoning.encrypted', data: 'd', id: 'rs', format: 'openai-responses-v1' };
    const claudes = 'anthropic-claude-v1';
    const { blocks } = told([
      chunkOf({
        reasoning: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format: claudes }],
      }),
      chunkOf({ reasoning_details: [{ type: 'reasoning.text', signature, format: claudes }] }),
      chunkOf({
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', format: claudes }, encrypted],
      }),
      chunkOf({ content: 'Well.' }),
      chunkOf({ reasoning: 'More.' }),
      chunkOf({}, 'stop'),
    ]);
    expect(blocks.slice(0, 2)).toEqual([
      { type: 'thinking', text: 'Hm', signature },
      { type: 'redacted_thinking', text: 'xyz' },
    ]);
    expect(readCarriedReasoning(blocks[2]?.text ?? '')).toEqual({ detail: encrypted });
    expect(blocks[3]).toEqual({ type: 'text', text: 'Well.' });
    expect(readCarriedReasoning(blocks[4]?.signature ?? '')).toEqual({ field: 'reasoning' });
  });

  it('state that Gemini wants back is carried with its call', () => {
    const extra_content = { google: { thought_signature: 's' } };
    const call = { index: 0, id: 'a', extra_content, function: { name: 'x', arguments: '{}' } };
    const { blocks } = told([chunkOf({ tool_calls: [call] }, 'tool_calls')]);
    expect(blocks.map(({ type }) => type)).toEqual(['redacted_thinking', 'tool_use']);
    expect(readCarriedReasoning(blocks[0]?.text ?? '')).toEqual({ call: { id: 'a', extra_content } });
  });

  it.each<[string, string, object]>([
    ['stop', 'end_turn', { content: 'a' }],
    ['length', 'max_tokens', { content: 'a' }],
    ['tool_calls', 'tool_use', called(0, '{}', 'a', 'x')],
    ['stop', 'tool_use', called(0, '{}', 'a', 'x')],
    ['function_call', 'tool_use', { function_call: { name: 'x', arguments: '{}' } }],
    ['content_filter', 'refusal', { content: 'a' }],
    ['stop', 'refusal', { refusal: 'No.' }],
    ['a word of tomorrow', 'end_turn', { content: 'a' }],
  ])('a stream that ends with %s has the stop reason %s', (finish, stop, delta) => {
    expect(told([chunkOf(delta), chunkOf({}, finish)])).toMatchObject({ stopReason: stop, isComplete: true });
    const message = 'function_call' in delta ? delta : { content: null, ...delta };
    expect(whole(message, finish).body).toMatchObject({ stop_reason: stop });
  });

  it('a stream without a word is complete where its provider says why it ended', () => {
    expect(told([chunkOf({ role: 'assistant' }), chunkOf({}, 'stop')])).toMatchObject({
      blocks: [],
      isComplete: true,
    });
  });

  it.each<[string, ChatResponse[]]>([
    ['without a finish_reason', [chunkOf({ content: 'a' })]],
    ['without anything', []],
    ['with calls that are not there', [chunkOf({ content: 'a' }, 'tool_calls')]],
    ['in the middle of a call', [chunkOf(called(0, '{"a":', 'a', 'x'), 'tool_calls')]],
    ['with arguments that are no object', [chunkOf(called(0, '[1]', 'a', 'x'), 'tool_calls')]],
    ['with a call without a name', [chunkOf(called(0, '{}', 'a'), 'tool_calls')]],
    ['for want of its provider', [chunkOf({ content: 'a' }, 'insufficient_system_resource')]],
    [
      'with more of a call that was complete',
      [chunkOf(called(0, '{}', 'a', 'x')), chunkOf({ content: 'b' }), chunkOf(called(0, '{}'), 'tool_calls')],
    ],
  ])('a stream that ends %s is no success', (_name, chunks) => {
    const { failure, isComplete } = told(chunks);
    expect(isComplete).toBe(false);
    expect(failure).toMatchObject({ code: 'upstream_error', status: 502 });
  });

  it('a stream that is cut at its maximum length within a call says so, and has no call that did not begin', () => {
    const { blocks, stopReason } = told([
      chunkOf(called(0, '{"a":', 'a', 'x')),
      chunkOf(called(1, '{"b":', 'b', 'y')),
      chunkOf({}, 'length'),
    ]);
    expect(blocks).toEqual([{ type: 'tool_use', text: '{"a":', id: 'a', name: 'x' }]);
    expect(stopReason).toBe('max_tokens');
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

  it('a second attempt begins a new message', () => {
    const { writer } = newWriter();
    writer.chunk(chunkOf({ content: 'lost' }));
    writer.restart();
    const text = writer.chunk(chunkOf({ content: 'kept' }, 'stop')) + writer.end();
    expect(readMessageStream(text)).toMatchObject({ blocks: [{ text: 'kept' }], isComplete: true });
  });

  it('a stream cannot make the gateway hold more than a response may have', () => {
    const { writer } = newWriter();
    writer.chunk(chunkOf(called(0, '{', 'a', 'x')));
    const fill = () => {
      for (let piece = 0; piece < 100; piece++) writer.chunk(chunkOf({ content: 'x'.repeat(100_000) }));
    };
    expect(fill).toThrow(GatewayError);
  });
});

describe('a whole answer', () => {
  it('a whole answer has all of its blocks', () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: { name: 'x', arguments: '{"n":1}' } },
      { id: 'b', type: 'function', function: { name: 'y', arguments: '' } },
    ];
    const message = { role: 'assistant', reasoning_content: 'Hm.', content: 'I look.', tool_calls };
    const { body, usage } = whole(message, 'tool_calls');
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_\w{24}$/),
      type: 'message',
      role: 'assistant',
      model: 'acme/small',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'kept-by-model-gateway.e30' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'x', input: { n: 1 } },
        { type: 'tool_use', id: 'b', name: 'y', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 8,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 5,
      },
    });
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 5, source: 'provider' });
  });

  it('a whole answer leaves out a call that its length cut off, and wraps broken arguments for the model', () => {
    const cut = { id: 'a', type: 'function', function: { name: 'x', arguments: '{"n":' } };
    const message = { role: 'assistant', content: 'I look.', tool_calls: [cut] };
    expect(whole(message, 'length').body).toMatchObject({
      content: [{ type: 'text', text: 'I look.' }],
      stop_reason: 'max_tokens',
    });
    expect(whole(message, 'tool_calls').body).toMatchObject({
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'x', input: { INVALID_JSON: '{"n":' } },
      ],
      stop_reason: 'tool_use',
    });
  });

  it('a whole answer splits its input into cache reads, cache writes and the rest', () => {
    const prompt_tokens_details = { cached_tokens: 4, cache_write_tokens: 3 };
    const { body } = whole({ content: 'a' }, 'stop', { ...USAGE, prompt_tokens_details });
    expect(body).toMatchObject({
      usage: { input_tokens: 5, cache_creation_input_tokens: 3, cache_read_input_tokens: 4 },
    });
  });

  it('an impossible count of the provider is replaced by our own', () => {
    const { body, usage } = whole({ content: 'x'.repeat(40) }, 'stop', { prompt_tokens: -1 });
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 10, source: 'estimated' });
    expect(body).toMatchObject({ usage: { input_tokens: 10, output_tokens: 10 } });
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
    tool_calls: fc.array(
      fc.record(
        {
          index: fc.nat(3),
          id: fc.constantFrom('', 'a', 'b'),
          extra_content: fc.constant({ google: {} }),
          function: fc.record(
            {
              name: fc.constantFrom('', 'x', 'y'),
              arguments: fc.constantFrom('', '{', '}', '{}', '"a":1', ' ', 'x'),
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
  it('chunks in any order, cut anywhere, become valid Messages events, and a success only if the provider sent one', () => {
    fc.assert(
      fc.property(chunks, fc.boolean(), (sent, ends) => {
        const { failure, isComplete, startUsage, usage } = told(sent, ends);
        if (failure !== undefined) expect(failure).toBeInstanceOf(GatewayError);
        expect(isComplete).toBe(ends && failure === undefined);
        if (startUsage !== undefined)
          expect(startUsage.input_tokens + startUsage.cache_read_input_tokens).toBeGreaterThan(0);
        if (isComplete) expect(usage).toBeDefined();
        const reasons = sent.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
        if (isComplete) expect(reasons.some((reason) => reason !== null && reason !== '')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('chunks in any order, cut anywhere, lose nothing that was written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('content', 'reasoning_content'), words)), (written) => {
        const { blocks, isComplete } = told([
          ...written.map(([member, text]) => chunkOf({ [member]: text })),
          chunkOf({}, 'stop'),
        ]);
        expect(isComplete).toBe(true);
        const all = (wanted: string) =>
          written.flatMap(([member, text]) => (member === wanted ? text : [])).join('');
        const read = (type: string) =>
          blocks.flatMap((block) => (block.type === type ? block.text : [])).join('');
        expect(read('text')).toBe(all('content'));
        expect(read('thinking')).toBe(all('reasoning_content'));
      }),
    );
  });
});

it('a tool whose name was shortened for the provider gets back the name of its caller', () => {
  const long = `mcp__plugin_${'x'.repeat(80)}`;
  const { meter } = newWriter();
  const { request } = convertMessagesToChat(
    {
      max_tokens: 5,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: long, input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' }] },
      ],
      tools: [
        { name: long, input_schema: { type: 'object' } },
        { name: `${long}2`, input_schema: { type: 'object' } },
        { name: 'short', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'tool', name: long },
    },
    { id: 'acme/small', maxOutputTokens: undefined },
  );
  const sent = z.object({
    messages: z.array(
      z.looseObject({
        tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
      }),
    ),
    tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
    tool_choice: z.object({ function: z.object({ name: z.string() }) }),
  });
  const { messages, tool_choice, tools } = sent.parse(request);
  const [name = '', other, short] = tools.map((tool) => tool.function.name);
  expect(name).toMatch(/^mcp__plugin_[\w-]{1,52}$/);
  expect(new Set([name, other, 'short']).size).toBe(3);
  expect(short).toBe('short');
  expect(tool_choice.function.name).toBe(name);
  expect(messages[1]?.tool_calls?.[0]?.function.name).toBe(name);

  const names = [long, `${long}2`, 'short'];
  const writer = new MessagesWriter(meter, 'acme/small', names);
  expect(writer.chunk(chunkOf(called(0, '{}', 'call_1', name)))).toContain(`"name":"${long}"`);
  const message = { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name, arguments: '{}' } }] };
  const { body } = writer.completion({ choices: [{ message, finish_reason: 'tool_calls' }] });
  expect(JSON.stringify(body)).toContain(`"name":"${long}"`);
});
