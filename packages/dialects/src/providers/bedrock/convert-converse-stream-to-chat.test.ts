import { GatewayError, NO_UNITS } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ChatCompletionsWriter } from '../../callers/chat-completions/chat-completions-writer.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import { EXCEPTION } from './converse-framing.ts';
import { ConverseStreamToChat } from './convert-converse-stream-to-chat.ts';

const MODEL = 'bedrock/model';
type Event = readonly [type: string, event: object];

/** Returns the client's events; `isOver`: the provider's stream has ended after these events. */
function told(events: readonly Event[], isOver = true) {
  const max = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
  const meter = new ChatMeter([Buffer.from('{}')], { max, mediaParts: 0, mediaPartTokens: 0 });
  const translator = new ConverseStreamToChat(new ChatCompletionsWriter(meter, MODEL, true), MODEL);
  let text = '';
  let done = false;
  for (const [type, event] of events) {
    const translated = translator.translate(JSON.stringify({ [type]: event }));
    text += translated.text;
    done ||= translated.done;
  }
  if (!done && isOver && translator.mayEnd) {
    text += translator.end();
    done = true;
  }
  const data = text.split('\n\n').filter((part) => part !== '');
  const chunks = data.filter((part) => part !== 'data: [DONE]').map((part) => JSON.parse(part.slice(6)));
  return { chunks, done, isEnded: data.at(-1) === 'data: [DONE]', usage: meter.usage(done) };
}

const START: Event = ['messageStart', { role: 'assistant' }];
const said = (contentBlockIndex: number, delta: object): Event => [
  'contentBlockDelta',
  { contentBlockIndex, delta },
];
const call = (contentBlockIndex: number, name: string): Event => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse: { toolUseId: `id-${name}`, name } } },
];
const closed = (contentBlockIndex: number): Event => ['contentBlockStop', { contentBlockIndex }];
const stopped = (stopReason: string): Event => ['messageStop', { stopReason }];
const USAGE: Event = [
  'metadata',
  {
    usage: {
      inputTokens: 10,
      outputTokens: 20,
      totalTokens: 38,
      cacheReadInputTokens: 5,
      cacheWriteInputTokens: 3,
      cacheDetails: [{ inputTokens: 2, ttl: '1h' }],
    },
  },
];
const WHOLE: Event[] = [
  START,
  said(0, { reasoningContent: { text: 'hm' } }),
  said(0, { reasoningContent: { signature: 's==' } }),
  closed(0),
  said(1, { text: 'hel' }),
  said(1, { text: 'lo' }),
  closed(1),
  call(2, 'find'),
  said(2, { toolUse: { input: '{"q":' } }),
  said(2, { toolUse: { input: '1}' } }),
  closed(2),
  call(3, 'list'),
  closed(3),
  stopped('tool_use'),
  USAGE,
];

describe('a stream of Converse', () => {
  it('a stream has text, signed reasoning, calls with and without input, the end and the usage', () => {
    const { chunks, done, isEnded, usage } = told(WHOLE);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta));
    expect(deltas).toMatchObject([
      { role: 'assistant' },
      { reasoning_details: [{ type: 'reasoning.text', text: '', index: 0 }] },
      { reasoning_content: 'hm' },
      { reasoning_details: [{ signature: 's==', format: 'amazon-bedrock-converse-v1', index: 0 }] },
      { content: 'hel' },
      { content: 'lo' },
      { tool_calls: [{ index: 0, id: 'id-find', function: { name: 'find', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"q":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { tool_calls: [{ index: 1, id: 'id-list', function: { name: 'list' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
    expect([done, isEnded]).toEqual([true, true]);
    expect(chunks.at(-1).usage).toEqual({
      prompt_tokens: 18,
      completion_tokens: 20,
      total_tokens: 38,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
    });
    expect(usage).toMatchObject({
      source: 'provider',
      inputTokens: 18,
      cachedInputTokens: 5,
      cacheWriteTokens: 1,
      cacheWrite1hTokens: 2,
      outputTokens: 20,
    });
  });

  it('a stream is also complete when the usage comes before the end, or not at all', () => {
    const before = told([...WHOLE.slice(0, -2), USAGE, stopped('tool_use')]);
    expect(before).toMatchObject({ done: true, isEnded: true, usage: { source: 'provider' } });
    const without = told(WHOLE.slice(0, -1));
    expect(without).toMatchObject({ done: true, isEnded: true, usage: { source: 'estimated' } });
  });

  it('a stream whose usage comes before its text is billed for that text, too', () => {
    const text = said(0, { text: 'x'.repeat(400) });
    const { chunks, usage } = told([START, USAGE, text, closed(0), stopped('end_turn')]);
    expect(usage).toMatchObject({ outputTokens: 100, source: 'estimated' });
    expect(chunks.at(-1)).not.toHaveProperty('usage');
  });

  it('a stream is complete without the ends of its blocks', () => {
    const open = WHOLE.filter(([type]) => type !== 'contentBlockStop');
    expect(told(open).chunks).toEqual(
      told(WHOLE).chunks.map((chunk) => ({ ...chunk, id: expect.any(String), created: expect.any(Number) })),
    );
  });

  it('a stream that is cut before its end is no success, and says nothing of an end', () => {
    for (let length = 0; length < WHOLE.length - 2; length++) {
      const { chunks, done } = told(WHOLE.slice(0, length));
      expect(done).toBe(false);
      expect(JSON.stringify(chunks)).not.toContain('"finish_reason":"');
    }
  });

  it.each([
    ['a second beginning', [START, START]],
    ['a block after a later one', [START, said(1, { text: 'b' }), said(0, { text: 'a' })]],
    ['the input of a call that has not begun', [START, said(0, { toolUse: { input: '{}' } })]],
    ['a text after the end', [START, stopped('end_turn'), said(0, { text: 'a' })]],
    ['a second end', [START, stopped('end_turn'), stopped('end_turn')]],
    ['anything after the usage', [START, stopped('end_turn'), USAGE, USAGE]],
    ['what the provider calls malformed', [START, stopped('malformed_tool_use')]],
    ['an exception', [START, [EXCEPTION, { type: 'throttlingException', message: 'slow' }]]],
    ['an event without an index', [START, ['contentBlockDelta', { delta: { text: 'a' } }]]],
  ] as [string, Event[]][])('a stream is broken off at %s', (_what, events) => {
    expect(() => told(events)).toThrow(GatewayError);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'stop'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['something_new', 'stop'],
  ])('a stream that ended with %s has ended with %s', (stopReason, finishReason) => {
    const { chunks } = told([START, said(0, { text: 'a' }), stopped(stopReason), USAGE]);
    expect(JSON.stringify(chunks)).toContain(`"finish_reason":"${finishReason}"`);
  });

  it('unknown events and deltas are passed over', () => {
    const events: Event[] = [START, ['news', {}], said(0, { news: 1 }), said(0, { text: 'a' })];
    expect(told([...events, stopped('end_turn'), USAGE])).toMatchObject({ done: true, isEnded: true });
  });
});
