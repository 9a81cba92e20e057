import { SeededChoice } from '../text/seeded-choice.ts';
import { findTopic } from '../text/topic.ts';
import type { ChatRequest } from './chat-request.ts';
import { lastQuestion } from './compose-answer.ts';
import type { PlannedCall } from './planned-call.ts';

/** Makes up what was thought before an answer. The same conversation always gets the same thoughts. */
export function composeThinking(request: ChatRequest, calls: readonly PlannedCall[]): string {
  const question = lastQuestion(request.messages);
  const { phrase = 'nothing in particular' } = findTopic(question);
  const choice = new SeededChoice(`thinking ${question}`);
  const opening = choice.pick([`The user asks about ${phrase}.`, `This is about ${phrase}.`]);
  const plan = choice.pick([
    'I should start with what matters most, and keep it short.',
    'First the main point, then one detail that is easily missed.',
  ]);
  const names = calls.map(({ name }) => name).join(' and ');
  return `${opening} ${names === '' ? plan : `I need ${names} for that.`}`;
}
