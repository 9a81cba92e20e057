import { GatewayError, NO_UNITS } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatCompletionsWriter } from '../../callers/chat-completions/chat-completions-writer.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import { AnthropicStreamToChat } from './convert-anthropic-stream-to-chat.ts';

const MODEL = 'anthropic/claude';

function meterOf(): ChatMeter {
  const max = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
  return new ChatMeter([Buffer.from('{}')], { max, mediaParts: 0, mediaPartTokens: 0 });
}

/** Returns the client's events; `done`: the response is complete. */
function told(events: readonly JsonObject[], includeUsage = true) {
  const meter = meterOf();
  const translator = new AnthropicStreamToChat(new ChatCompletionsWriter(meter, MODEL, includeUsage), MODEL);
  let text = '';
  let done = false;
  for (const event of events) {
    const translated = translator.translate(JSON.stringify(event));
    text += translated.text;
    done ||= translated.done;
  }
  const data = text.split('\n\n').filter((event) => event !== '');
  const isEnded = data.at(-1) === 'data: [DONE]';
  const chunks = (isEnded ? data.slice(0, -1) : data).map((event) =>
    JSON.parse(event.slice('data: '.length)),
  );
  return { chunks, deltas: chunks.flatMap(deltasOf), done, isEnded, usage: meter.usage(done) };
}

function deltasOf({ choices }: { choices: { delta: JsonObject }[] }): JsonObject[] {
  return choices.map(({ delta }) => delta);
}

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 1 },
  },
};
const PING = { type: 'ping' };
const STOP = { type: 'message_stop' };
const ended = (stop_reason: string, members: JsonObject = {}) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...members },
  usage: { output_tokens: 20, output_tokens_details: { thinking_tokens: 7 } },
});
const begin = (index: number, content_block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, given: JsonObject) => ({ type: 'content_block_delta', index, delta: given });
const end = (index: number) => ({ type: 'content_block_stop', index });
const text = (index: number, ...pieces: string[]) => [
  begin(index, { type: 'text', text: '' }),
  ...pieces.map((piece) => delta(index, { type: 'text_delta', text: piece })),
  end(index),
];
const call = (index: number, id: string, ...pieces: string[]) => [
  begin(index, { type: 'tool_use', id, name: 'find', input: {} }),
  ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
  end(index),
];

describe('a streamed answer of Messages, for a caller of Chat Completions', () => {
  it('a stream has its texts in order, why it ended, its usage and its end', () => {
    const { chunks, deltas, isEnded, usage } = told([
      START,
      PING,
      ...text(0, 'Hel', 'lo "model" é\u2028'),
      ended('end_turn'),
      STOP,
    ]);
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Hel' },
      { content: 'lo "model" é\u2028' },
      {},
    ]);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ id: 'msg_1', object: 'chat.completion.chunk', model: MODEL });
      expect(chunk.created).toBe(chunks[0].created);
    }
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 18,
        completion_tokens: 20,
        total_tokens: 38,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 7 },
      },
    });
    expect(isEnded).toBe(true);
    expect(usage).toMatchObject({ source: 'provider', inputTokens: 18, outputTokens: 20 });
  });

  it('usage is streamed only to callers who asked for it', () => {
    const { chunks } = told([START, ...text(0, 'x'), ended('end_turn'), STOP], false);
    expect(JSON.stringify(chunks)).not.toContain('usage');
  });

  it('thinking keeps the signatures that must come back', () => {
    const { deltas } = told([
      START,
      begin(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      end(0),
      begin(1, { type: 'redacted_thinking', data: 'ZW5j' }),
      end(1),
      ...text(2, 'x'),
      ended('end_turn'),
      STOP,
    ]);
    const format = 'anthropic-claude-v1';
    expect(deltas.slice(1, -2)).toEqual([
      { reasoning_details: [{ type: 'reasoning.text', text: '', format, index: 0 }] },
      { reasoning_content: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 'c2ln', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZW5j', format, index: 1 }] },
    ]);
  });

  it('calls are numbered, with their ids first and arguments piece by piece', () => {
    const whole = begin(5, { type: 'tool_use', id: 'c', name: 'find', input: { q: 1 } });
    const { chunks, deltas } = told([
      START,
      ...text(0, 'x'),
      ...call(1, 'a', '', '{"q"', ':1}'),
      begin(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{}' }),
      end(2),
      ...call(4, 'b'),
      whole,
      end(5),
      ended('tool_use'),
      STOP,
    ]);
    const first = (index: number, id: string) => ({
      tool_calls: [{ index, id, type: 'function', function: { name: 'find', arguments: '' } }],
    });
    const more = (index: number, piece: string) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    });
    expect(deltas.slice(2, -1)).toEqual([
      first(0, 'a'),
      more(0, '{"q"'),
      more(0, ':1}'),
      first(1, 'b'),
      more(1, '{}'),
      first(2, 'c'),
      more(2, '{"q":1}'),
    ]);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });

  it('texts keep the pages that they cite', () => {
    const citation = { type: 'web_search_result_location', url: 'https://example.com', title: 'Example' };
    const { deltas } = told([
      START,
      ...text(0, 'See '),
      begin(1, { type: 'text', text: '', citations: [] }),
      delta(1, { type: 'citations_delta', citation }),
      delta(1, { type: 'citations_delta', citation: { type: 'char_location', document_index: 0 } }),
      delta(1, { type: 'text_delta', text: 'this' }),
      end(1),
      ended('end_turn'),
      STOP,
    ]);
    const url_citation = { url: 'https://example.com', title: 'Example', start_index: 4, end_index: 8 };
    expect(deltas.at(-2)).toEqual({ annotations: [{ type: 'url_citation', url_citation }] });
  });

  it('a refusal keeps the words of its provider', () => {
    const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'I will not.' } };
    const { chunks, deltas } = told([START, ended('refusal', details), STOP]);
    expect(deltas).toEqual([{ role: 'assistant', content: '' }, { refusal: 'I will not.' }, {}]);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['tool_use', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['what there will be', 'stop'],
    ['constructor', 'stop'],
  ])('a stream that ended for %s has finished for %s', (reason, expected) => {
    const { chunks } = told([START, ended(reason), STOP]);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: expected }] });
  });

  it('unknown events and blocks are left out', () => {
    const { deltas, done } = told([
      { type: 'message_mood' },
      START,
      { type: 'content_block_hint', index: 9 },
      begin(0, { type: 'hologram', text: 'x' }),
      delta(0, { type: 'text_delta', text: 'x' }),
      delta(0, { type: 'hologram_delta' }),
      end(0),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'shine_delta' }),
      end(1),
      ended('end_turn'),
      STOP,
    ]);
    expect(deltas).toEqual([{ role: 'assistant', content: '' }, {}]);
    expect(done).toBe(true);
  });

  it('the finish reason comes only with the end', () => {
    const { chunks, isEnded } = told([START, ...text(0, 'x'), ended('end_turn')]);
    expect(isEnded).toBe(false);
    expect(JSON.stringify(chunks)).not.toContain('"finish_reason":"');
  });
});

describe('events that form no whole message', () => {
  const unclosed = begin(0, { type: 'text', text: '' });

  it.each<[what: string, events: JsonObject[]]>([
    ['two beginnings', [START, START]],
    ['a second message in the middle', [START, unclosed, START]],
    ['a block before the beginning', [unclosed]],
    ['an end before the beginning', [STOP]],
    ['a block in a block', [START, unclosed, begin(1, { type: 'text', text: '' })]],
    ['a piece of no block', [START, delta(0, { type: 'text_delta', text: 'x' })]],
    ['a piece of another block', [START, unclosed, delta(1, { type: 'text_delta', text: 'x' })]],
    ['a piece of another kind', [START, unclosed, delta(0, { type: 'thinking_delta', thinking: 'x' })]],
    ['the end of no block', [START, end(0)]],
    ['the end of another block', [START, unclosed, end(1)]],
    ['why it ended within a block', [START, unclosed, ended('end_turn')]],
    ['an end without a reason', [START, ...text(0, 'x'), STOP]],
    ['a block after the reason', [START, ended('end_turn'), unclosed]],
    ['two ends', [START, ended('end_turn'), STOP, STOP]],
    ['a beginning after the end', [START, ended('end_turn'), STOP, START]],
    ['a reason after the end', [START, ended('end_turn'), STOP, ended('end_turn')]],
    ['a failure', [START, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]],
    ['a text that is none', [START, unclosed, delta(0, { type: 'text_delta', text: 1 })]],
    ['a block without its content', [START, { type: 'content_block_start', index: 0 }]],
  ])('a stream is broken off by %s', (_what, events) => {
    expect(() => told(events)).toThrow(expect.objectContaining({ code: 'upstream_error', status: 502 }));
  });

  const value = fc.oneof(fc.constantFrom(undefined, null, 0, 1, '', 'x', []), fc.jsonValue());
  const blockType = fc.constantFrom(
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'server_tool_use',
    'new',
  );
  const deltaType = fc.constantFrom(
    'text_delta',
    'thinking_delta',
    'signature_delta',
    'input_json_delta',
    'citations_delta',
    'new_delta',
  );
  const members = { text: value, thinking: value, signature: value, data: value, id: value, name: value };
  const any = fc.oneof(
    fc.constantFrom<JsonObject[]>(START, PING, STOP, ended('end_turn'), ended('tool_use'), end(0), end(1)),
    fc.record({
      type: fc.constant('content_block_start'),
      index: fc.nat(2),
      content_block: fc.record({ type: blockType, ...members }, { requiredKeys: ['type'] }),
    }),
    fc.record({
      type: fc.constant('content_block_delta'),
      index: fc.nat(2),
      delta: fc.record(
        { type: deltaType, ...members, partial_json: value, citation: value },
        { requiredKeys: ['type'] },
      ),
    }),
    fc.record(
      {
        type: fc.constantFrom(
          'message_start',
          'message_delta',
          'content_block_start',
          'content_block_delta',
          'error',
          'other',
        ),
        message: value,
        delta: value,
        usage: value,
        index: value,
        content_block: value,
        error: value,
      },
      { requiredKeys: ['type'] },
    ),
  );
  const sentence = fc
    .array(
      fc.oneof(
        fc.string().map((piece) => text(0, piece)),
        fc.string().map((id) => call(0, id, '{}')),
      ),
      { maxLength: 4 },
    )
    .map((blocks) => [START, ...blocks.flat(), ended('end_turn'), STOP]);

  /**
   * Returns true if the events up to the first end are a message: its own grammar, apart from the translator.
   */
  function isWhole(events: readonly JsonObject[]): boolean {
    const last = events.findIndex(({ type }) => type === 'message_stop');
    const letters = events.slice(0, last + 1).map(({ delta: given, type }) => {
      if (type === 'message_start') return 's';
      if (type === 'content_block_start') return 'b';
      if (type === 'content_block_delta') return 'd';
      if (type === 'content_block_stop') return 'e';
      if (type === 'message_stop') return 'z';
      if (type !== 'message_delta') return '';
      return typeof given === 'object' &&
        given !== null &&
        'stop_reason' in given &&
        typeof given.stop_reason === 'string'
        ? 'r'
        : 'm';
    });
    return /^s(m|bd*e)*r[rm]*z$/.test(letters.join(''));
  }

  it('events in any order end as a success only if they form a whole message, and never in an unexpected failure', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(any, { maxLength: 12 }), sentence), (events) => {
        const { done, isEnded } = attempt(events);
        expect(isEnded).toBe(done);
        if (done) expect(isWhole(events)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('events that are cut, swapped, doubled or left out anywhere end as no success', () => {
    const change = fc.tuple(fc.constantFrom('cut', 'swap', 'double', 'drop'), fc.nat(), fc.nat());
    fc.assert(
      fc.property(sentence, change, (events, [how, first, second]) => {
        const [from, to] = [first % events.length, second % events.length];
        const { done } = attempt(changed(events, how, from, to));
        if (done) expect(isWhole(changed(events, how, from, to))).toBe(true);
        if (how === 'cut') expect(done).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  function changed(events: readonly JsonObject[], how: string, from: number, to: number): JsonObject[] {
    const copy = [...events];
    if (how === 'cut') return copy.slice(0, from);
    if (how === 'double') copy.splice(from, 0, ...copy.slice(from, from + 1));
    if (how === 'drop') copy.splice(from, 1);
    if (how === 'swap') copy.splice(to, 0, ...copy.splice(from, 1));
    return copy;
  }

  function attempt(events: readonly JsonObject[]): { done: boolean; isEnded: boolean } {
    const stop = events.findIndex(({ type }) => type === 'message_stop');
    try {
      return told(stop === -1 ? events : events.slice(0, stop + 1));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(GatewayError);
      return { done: false, isEnded: false };
    }
  }
});

describe('data that is no event', () => {
  it.each(['', '{', '[]', 'null', '{"type": 1}', '[DONE]'])(
    'data that is no event breaks the answer off: %j',
    (data) => {
      const translator = new AnthropicStreamToChat(new ChatCompletionsWriter(meterOf(), MODEL, true), MODEL);
      expect(() => translator.translate(data)).toThrow(expect.objectContaining({ code: 'upstream_error' }));
    },
  );
});

it('a step of programmatic tool calling, complete in message_start, becomes text and calls', () => {
  const content = [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 'toolu_1', name: 'query', input: { sql: 'SELECT 1' } },
  ];
  const message = {
    ...START.message,
    content,
    stop_reason: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 9 },
  };
  const { deltas, isEnded, usage } = told([{ type: 'message_start', message }, STOP]);
  expect(isEnded).toBe(true);
  expect(deltas).toEqual([
    { role: 'assistant', content: '' },
    { content: 'Let me see.' },
    {
      tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'query', arguments: '' } }],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"sql":"SELECT 1"}' } }] },
    {},
  ]);
  expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 9, source: 'provider' });
});
