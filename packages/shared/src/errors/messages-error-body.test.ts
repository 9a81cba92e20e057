import { expect, it } from 'vitest';
import { messagesErrorBody } from './messages-error-body.ts';
import { contextTooLong, providerRejected } from './provider-errors.ts';

const messageOf = (words: string) => messagesErrorBody(contextTooLong(words), 'req_1').error.message;

it.each([
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'prompt is too long: 130000 tokens > 128000 maximum.',
  ],
  [
    'The input token count (1,048,577) exceeds the maximum number of tokens allowed (1,048,576).',
    'prompt is too long: 1048577 tokens > 1048576 maximum.',
  ],
  ['Input is too long for requested model.', 'prompt is too long.'],
  ['The context window is exceeded: 190000 + 20000 > 200000.', 'prompt is too long.'],
])(
  'a conversation that is too long is told in words that clients of Anthropic look for: %s',
  (words, told) => {
    expect(messageOf(words)).toBe(`${told} The provider said: ${words}`);
  },
);

it('words of Anthropic itself are left as they are', () => {
  const words = 'prompt is too long: 210000 tokens > 200000 maximum';
  expect(messageOf(words)).toBe(words);
  expect(messagesErrorBody(providerRejected(400, 'No 128000 > 1000.'), 'req_1').error.message).toBe(
    'No 128000 > 1000.',
  );
});
