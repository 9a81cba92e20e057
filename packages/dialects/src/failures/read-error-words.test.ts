import { expect, it } from 'vitest';
import { readErrorWords } from './read-error-words.ts';

const TOO_LONG = 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length';

it.each<[string, unknown]>([
  ['OpenAI', { error: { message: TOO_LONG, type: 'invalid_request_error', code: null } }],
  ['Mistral', { object: 'error', message: TOO_LONG, type: 'invalid_request_message_order', code: '3051' }],
  ['vLLM before 0.11', { object: 'error', message: TOO_LONG, type: 'BadRequestError', code: 400 }],
  ['Ollama', { error: TOO_LONG }],
  ['TGI', { error: TOO_LONG, error_type: 'validation' }],
  ['FastAPI', { detail: TOO_LONG }],
  ["Gemini's compatible endpoint", [{ error: { code: 400, message: TOO_LONG, status: 'INVALID_ARGUMENT' } }]],
  ['a proxy', { error: { error: { message: TOO_LONG } } }],
])('the words of an error of %s are found', (_, body) => {
  expect(readErrorWords(JSON.stringify(body))).toBe(TOO_LONG);
});

it('problems of several fields are listed one after the other, with their places', () => {
  const detail = [
    {
      type: 'extra_forbidden',
      loc: ['body', 'max_completion_tokens'],
      msg: 'Extra inputs are not permitted',
    },
    { type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required' },
  ];
  const words =
    'body.max_completion_tokens: Extra inputs are not permitted; body.messages.0.content: Field required';
  expect(readErrorWords(JSON.stringify({ detail }))).toBe(words);
  expect(readErrorWords(JSON.stringify({ object: 'error', message: { detail } }))).toBe(words);
});

it('an error in an unknown form is its text', () => {
  expect(readErrorWords('context too long\n')).toBe('context too long');
  expect(readErrorWords('{"problem":"too long"}')).toBe('{"problem":"too long"}');
  expect(readErrorWords('{"error":{"code":7}}')).toBe('{"error":{"code":7}}');
});

it('an empty body and a page have no words', () => {
  for (const body of ['', '  ', '{}', 'null', '[]', '<html><body>400 Bad Request</body></html>'])
    expect(readErrorWords(body)).toBeUndefined();
});
