import { describe, expect, it } from 'vitest';
import { cleanAnswer, cleanJson, redactedJson, secretRedactor } from './redact.ts';

const USED = 'used-credential-0123456789';
const SPARE = 'spare-credential-0123456789';
/** No secret: local servers are often given a word. */
const SECRETS = [SPARE, USED, 'ollama'];
const ESCAPED = [...SPARE].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('the credentials of a provider', () => {
  it('are removed from its responses, except short words', () => {
    expect(cleanAnswer(`${USED} ${SPARE} ollama`, SECRETS)).toBe('[redacted] [redacted] ollama');
  });

  it('are removed from JSON, escaped or not', () => {
    expect(cleanJson(`{"a":"${ESCAPED} ${USED}"}`, SECRETS)).toBe('{"a":"[redacted] [redacted]"}');
    expect(cleanJson('{"a":"\\u0061"}', SECRETS)).toBe('{"a":"\\u0061"}');
  });

  it('are removed from its error messages, including short words', () => {
    expect(secretRedactor(SECRETS)(`${USED}, ${SPARE}, ollama`)).toBe('[redacted], [redacted], [redacted]');
    expect(redactedJson(`{"error":"${USED} ${SPARE}"}`, SECRETS)).toBe('{"error":"[redacted] [redacted]"}');
  });
});

it.each([
  [
    'Incorrect API key provided: sk-proj-********************wxyz.',
    'Incorrect API key provided: [redacted].',
  ],
  ['Incorrect API key provided: sk-ant-…abcd', 'Incorrect API key provided: [redacted]'],
  ['key sk-abcdefgh1234****wxyz', 'key [redacted]'],
  ['token eyJhbGciOiJI.eyJzdWIiOiIx.c2ln', 'token [redacted]'],
  ['GET /v1beta?key=AIzaSyA1234567890abcdefghij', 'GET /v1beta?key=[redacted]'],
  ['POST /m?api_key=0123&x=1', 'POST /m?[redacted]&x=1'],
  ['AKIAIOSFODNN7EXAMPLE is not valid', '[redacted] is not valid'],
  ['max_tokens=5 is not valid', 'max_tokens=5 is not valid'],
])('a text shaped like a secret, or like a part of one, is removed: %s', (text, left) => {
  expect(secretRedactor([])(text)).toBe(left);
});

it('the search for secrets is fast even in texts made to slow it down', () => {
  const before = process.cpuUsage();
  for (const text of ['sk-', 'Bearer ', 'key=', 'eyJaaaaaaaa.', 'eyJ-', 'sk_'])
    secretRedactor([])(text.repeat(Math.ceil(65_536 / text.length)));
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
