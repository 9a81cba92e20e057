import { expect, test } from 'vitest';
import { buildMessages, type ChatTurn, type Question } from './chat-turn.ts';

const ask = (text: string, more: Partial<Question> = {}): Question => ({
  text,
  pictures: [],
  results: [],
  ...more,
});

const turn = (question: Question, answer: string, more: Partial<ChatTurn> = {}): ChatTurn => ({
  id: 1,
  question,
  answer,
  toolCalls: [],
  model: 'acme/small',
  state: 'done',
  seatId: undefined,
  startedAtMs: 0,
  ...more,
});

const CALL = { index: 0, id: 'call_1', name: 'get_weather', args: '{"city":"Rome"}' };
const RESULT = ask('', { results: [{ callId: 'call_1', content: 'sunny' }] });

test('the model is sent the whole conversation, in order', () => {
  expect(buildMessages('Be brief.', [turn(ask('Hi'), 'Hello')], ask('Bye'))).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Bye' },
  ]);
});

test('a question without an answer and an empty system prompt are left out', () => {
  expect(buildMessages(' ', [turn(ask('Lost'), '')], ask('Again'))).toEqual([
    { role: 'user', content: 'Again' },
  ]);
});

test('images follow the text of their message', () => {
  const pictures = [{ name: 'a.png', url: 'data:image/png;base64,AA==' }];
  expect(buildMessages('', [], ask('What is it?', { pictures }))).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ]);
});

test('a tool call is sent with its result, also in later turns', () => {
  const turns = [turn(ask('Weather?'), '', { toolCalls: [CALL] }), turn(RESULT, 'It is sunny.')];
  const [call, result] = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
  ];
  const weather = { role: 'user', content: 'Weather?' };
  expect(buildMessages('', turns.slice(0, 1), RESULT)).toEqual([weather, call, result]);
  expect(buildMessages('', turns, ask('Thanks'))).toEqual([
    weather,
    call,
    result,
    { role: 'assistant', content: 'It is sunny.' },
    { role: 'user', content: 'Thanks' },
  ]);
});

test('a tool call without a result is left out, with its question if the response has no text', () => {
  expect(buildMessages('', [turn(ask('Weather?'), '', { toolCalls: [CALL] })], ask('Never mind'))).toEqual([
    { role: 'user', content: 'Never mind' },
  ]);
});
