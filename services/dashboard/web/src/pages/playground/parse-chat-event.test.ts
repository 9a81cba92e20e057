import { expect, test } from 'vitest';
import { parseChatEvent } from './parse-chat-event.ts';

const chunk = (choice: unknown) => JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] });

test('events with text, a finish reason and the end are parsed', () => {
  expect(parseChatEvent(chunk({ delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }))).toEqual(
    [{ kind: 'text', text: 'Hi' }],
  );
  expect(parseChatEvent(chunk({ delta: { content: '!' }, finish_reason: 'length' }))).toEqual([
    { kind: 'text', text: '!' },
    { kind: 'finished', reason: 'length' },
  ]);
  expect(parseChatEvent('[DONE]')).toEqual([{ kind: 'end' }]);
});

test('events without text show nothing', () => {
  expect(parseChatEvent(chunk({ delta: { role: 'assistant', content: '' } }))).toEqual([]);
  expect(parseChatEvent(JSON.stringify({ choices: [], usage: { prompt_tokens: 1 } }))).toEqual([]);
  expect(parseChatEvent('null')).toEqual([]);
});

test('the pieces of tool calls are parsed', () => {
  const call = { index: 1, id: 'call_1', function: { name: 'get_weather', arguments: '{"ci' } };
  expect(parseChatEvent(chunk({ delta: { tool_calls: [call] } }))).toEqual([
    { kind: 'tool-call', index: 1, id: 'call_1', name: 'get_weather', args: '{"ci' },
  ]);
  expect(parseChatEvent(chunk({ delta: { tool_calls: [{ function: { arguments: 'ty' } }] } }))).toEqual([
    { kind: 'tool-call', index: 0, id: '', name: '', args: 'ty' },
  ]);
});

test('an error event is parsed with its message, its code and its request id', () => {
  const error = { message: 'The provider went away.', code: 'upstream_error', request_id: 'req_1' };
  expect(parseChatEvent(JSON.stringify({ error }))).toEqual([
    { kind: 'failed', message: 'The provider went away.', code: 'upstream_error', requestId: 'req_1' },
  ]);
});

test('an event that is not JSON is a failure', () => {
  expect(parseChatEvent('{"half":')).toMatchObject([{ kind: 'failed', code: 'unreadable' }]);
});
