import { expect, it } from 'vitest';
import { ResponseTrace } from './response-trace.ts';

function readWhole(value: unknown) {
  const response = new ResponseTrace();
  response.addWhole(value);
  return response.read();
}

/** Reads a stream with one event in each chunk. */
function readEvents(...events: (object | string)[]) {
  const response = new ResponseTrace();
  for (const event of events) response.addEvents([typeof event === 'string' ? event : JSON.stringify(event)]);
  return response.read();
}

it.each([
  [
    'chat completion',
    {
      id: 'c1',
      choices: [
        { index: 1, finish_reason: 'length' },
        { index: 0, finish_reason: 'stop' },
      ],
    },
    ['stop', 'length'],
  ],
  ['message', { id: 'm1', stop_reason: 'end_turn' }, ['end_turn']],
  ['response', { id: 'r1', object: 'response', status: 'completed' }, ['completed']],
  [
    'response cut off',
    {
      id: 'r1',
      object: 'response',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    },
    ['max_output_tokens'],
  ],
  ['response under way', { id: 'r1', object: 'response', status: 'queued' }, undefined],
  ['Gemini response', { responseId: 'g1', candidates: [{ finishReason: 'MAX_TOKENS' }] }, ['MAX_TOKENS']],
  ['Converse response', { stopReason: 'tool_use' }, ['tool_use']],
  ['Cohere response', { id: 'h1', finish_reason: 'COMPLETE' }, ['COMPLETE']],
])('finds why a %s ended', (_kind, value, reasons) => {
  expect(readWhole(value).finishReasons).toEqual(reasons);
});

it('finds id and reasons of a stream in its first and its last events', () => {
  const chunk = { id: 'c1', choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] };
  const end = { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const usage = { id: 'c1', choices: [], usage: {} };
  const filler = Array.from({ length: 100 }, () => chunk);
  expect(readEvents(...filler, end, usage, '[DONE]')).toEqual({ id: 'c1', finishReasons: ['stop'] });
  expect(
    readEvents(
      { type: 'message_start', message: { id: 'm1' } },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { type: 'message_stop' },
    ),
  ).toEqual({ id: 'm1', finishReasons: ['max_tokens'] });
  const completed = { response: { id: 'r1', object: 'response', status: 'completed' } };
  expect(readEvents({ response: { id: 'r1' } }, completed)).toEqual({
    id: 'r1',
    finishReasons: ['completed'],
  });
  expect(readEvents({ messageStop: { stopReason: 'end_turn' } }).finishReasons).toEqual(['end_turn']);
});

it('takes no content, nothing absurd and nothing huge for a reason', () => {
  expect(readWhole({ stop_reason: 'My name is Ann.' }).finishReasons).toBeUndefined();
  expect(readWhole({ choices: [{ finish_reason: 7 }, null, 'x'] }).finishReasons).toBeUndefined();
  for (const value of [null, 7, [], 'text']) expect(readWhole(value).finishReasons).toBeUndefined();
  expect(readEvents('{', '').finishReasons).toBeUndefined();
  const huge = { stop_reason: 'end_turn', filler: 'x'.repeat(100_000) };
  expect(readEvents(huge).finishReasons).toBeUndefined();
});
