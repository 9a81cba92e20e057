import { expect, it } from 'vitest';
import type { MessagesCaller } from '../../interfaces/chat-caller.ts';
import { AnthropicPassthroughStream } from './passthrough-anthropic-stream.ts';

const passed: string[] = [];
const CALLER: MessagesCaller = {
  passEvent: (type) => {
    passed.push(type);
    return type;
  },
  count: () => undefined,
  reportTier: () => undefined,
  restart: never,
  chunk: never,
  end: never,
  completion: never,
  passMessage: never,
  passLarge: never,
};

function never(): never {
  throw new Error('an event was translated');
}

const START = '{"type":"message_start","message":{"model":"x"}}';
const BLOCK = '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}';
const NEXT = BLOCK.replace('0', '1');
const TEXT = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}';
const CLOSE = '{"type":"content_block_stop","index":0}';
const REASON = '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}';
const COUNT = '{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":1}}';
const STOP = '{"type":"message_stop"}';

function end(events: readonly string[]): boolean {
  const translator = new AnthropicPassthroughStream(CALLER, 'claude/model');
  return events.map((data) => translator.translate(data).done).at(-1) ?? false;
}

it('a message with events in order passes, with events of other types anywhere', () => {
  const other = '{"type":"something_new"}';
  expect(end([START, other, COUNT, BLOCK, TEXT, other, CLOSE, REASON, COUNT, STOP])).toBe(true);
  expect(end([START, REASON, STOP])).toBe(true);
});

it.each<[string, string[]]>([
  ['does not say why it ends', [START, BLOCK, TEXT, CLOSE, STOP]],
  ['only counts before it ends', [START, COUNT, STOP]],
  ['ends within a block', [START, BLOCK, TEXT, STOP]],
  ['says why it ends within a block', [START, BLOCK, REASON]],
  ['goes on without a block', [START, TEXT]],
  ['goes on with a block that is closed', [START, BLOCK, CLOSE, TEXT]],
  ['goes on with another block', [START, NEXT, TEXT]],
  ['closes a block that is not open', [START, CLOSE]],
  ['begins a block within another one', [START, BLOCK, NEXT]],
  ['goes on after it said why it ends', [START, REASON, BLOCK]],
  ['begins twice', [START, START]],
  ['begins with its text', [TEXT]],
  ['has an event whose type would be several lines', [START, '{"type":"a\\ndata: b"}']],
  ['has an event whose type would be several lines, by CR', [START, '{"type":"a\\rdata: b"}']],
])('a message that %s is an error', (_name, events) => {
  expect(() => end(events)).toThrow(/provider/);
});

it('a ping before the message is not passed on', () => {
  passed.length = 0;
  end(['{"type":"ping"}', START, '{"type":"ping"}']);
  expect(passed).toEqual(['message_start', 'ping']);
});

it('a step of programmatic tool calling, complete in message_start, passes', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'query', input: { sql: 'SELECT 1' } };
  const message = { model: 'x', content: [call], stop_reason: 'tool_use', usage: { output_tokens: 9 } };
  expect(end([JSON.stringify({ type: 'message_start', message }), STOP])).toBe(true);
  expect(() =>
    end([JSON.stringify({ type: 'message_start', message: { ...message, stop_reason: null } }), STOP]),
  ).toThrow();
});
