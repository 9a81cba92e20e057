import { expect, test } from 'vitest';
import { buildMessages, type ChatTurn } from './chat-turn.ts';

const turn = (question: string, answer: string): ChatTurn => ({
  id: 1,
  question,
  answer,
  model: 'acme/small',
  state: 'done',
  seatId: undefined,
  startedAtMs: 0,
});

test('the model is sent the whole conversation, in order', () => {
  expect(buildMessages('Be brief.', [turn('Hi', 'Hello')], 'Bye')).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Bye' },
  ]);
});

test('a question without an answer and an empty system prompt are left out', () => {
  expect(buildMessages(' ', [turn('Lost', '')], 'Again')).toEqual([{ role: 'user', content: 'Again' }]);
});
