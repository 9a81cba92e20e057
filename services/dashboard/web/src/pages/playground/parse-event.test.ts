import { expect, test } from 'vitest';
import { parseEvent } from './parse-event.ts';

const parseChatEvent = (data: string) => parseEvent('chat_completions', data);

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

const messages = (event: object) => parseEvent('messages', JSON.stringify(event));
const responses = (event: object) => parseEvent('responses', JSON.stringify(event));

test('events of the Messages API are parsed', () => {
  expect(
    messages({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
  ).toEqual([{ kind: 'text', text: 'Hi' }]);
  const block = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} };
  expect(messages({ type: 'content_block_start', index: 1, content_block: block })).toEqual([
    { kind: 'tool-call', index: 1, id: 'toolu_1', name: 'get_weather', args: '' },
  ]);
  const delta = { type: 'input_json_delta', partial_json: '{"ci' };
  expect(messages({ type: 'content_block_delta', index: 1, delta })).toEqual([
    { kind: 'tool-call', index: 1, id: '', name: '', args: '{"ci' },
  ]);
  expect(messages({ type: 'message_delta', delta: { stop_reason: 'max_tokens' } })).toEqual([
    { kind: 'finished', reason: 'length' },
  ]);
  expect(messages({ type: 'message_stop' })).toEqual([{ kind: 'end' }]);
  const error = { type: 'overloaded_error', message: 'Busy.', code: 'overloaded' };
  expect(messages({ type: 'error', error, request_id: 'req_1' })).toEqual([
    { kind: 'failed', message: 'Busy.', code: 'overloaded', requestId: 'req_1' },
  ]);
});

test('events of the Responses API are parsed', () => {
  expect(responses({ type: 'response.output_text.delta', delta: 'Hi' })).toEqual([
    { kind: 'text', text: 'Hi' },
  ]);
  const item = { type: 'function_call', call_id: 'call_1', name: 'get_weather' };
  expect(responses({ type: 'response.output_item.added', output_index: 1, item })).toEqual([
    { kind: 'tool-call', index: 1, id: 'call_1', name: 'get_weather', args: '' },
  ]);
  const piece = { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"ci' };
  expect(responses(piece)).toEqual([{ kind: 'tool-call', index: 1, id: '', name: '', args: '{"ci' }]);
  expect(responses({ type: 'response.created', response: { error: null } })).toEqual([]);
  expect(responses({ type: 'response.completed', response: {} }).at(-1)).toEqual({ kind: 'end' });
  const incomplete_details = { reason: 'max_output_tokens' };
  expect(responses({ type: 'response.incomplete', response: { incomplete_details } })[0]).toEqual({
    kind: 'finished',
    reason: 'length',
  });
  const failed = { kind: 'failed', message: 'It went away.', code: 'upstream_error', requestId: null };
  const error = { code: 'upstream_error', message: 'It went away.' };
  expect(responses({ type: 'response.failed', response: { error } })).toEqual([failed]);
  expect(responses({ type: 'error', ...error })).toEqual([failed]);
});
