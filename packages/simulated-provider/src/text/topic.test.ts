import { expect, it } from 'vitest';
import { findTopic } from './topic.ts';

it.each([
  ['Why is the sky blue?', 'the sky blue'],
  ['What is the capital of France?', 'the capital of France'],
  ['Hi! Please explain C++ templates, briefly.', 'C++ templates'],
  ['How do I make sourdough bread at home?', 'sourdough bread at home'],
  ['hello', undefined],
  ['   ', undefined],
  ['日本の首都はどこですか？', '日本の首都はどこですか'],
])('the topic of %j is %j', (text, phrase) => {
  expect(findTopic(text).phrase).toBe(phrase);
});

it('the keywords of a text are its meaningful words, each once', () => {
  expect(findTopic('Compare tea and coffee. Which tea is best?').keywords).toEqual(['tea', 'coffee', 'best']);
});

it('the clause of a topic is the one with its phrase, shortened to one line', () => {
  expect(findTopic('Hello! Why is\tthe sky blue?\nThanks.').clause).toBe('Why is the sky blue');
  expect(findTopic('mountain '.repeat(50)).clause).toMatch(/^(mountain ){7,8}mountain…$/);
  expect(findTopic('hello').clause).toBe('');
});
