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
