import { expect, it } from 'vitest';
import { KnownMembers } from './member-spelling.ts';

const members = new KnownMembers(['model', 'n', 'max_tokens', 'messages', 'stream', 'max_k']);

it.each([
  ['Model', 'model'],
  ['MODEL', 'model'],
  ['N', 'n'],
  ['MAX_TOKENS', 'max_tokens'],
  ['maxTokens', 'max_tokens'],
  ['max-tokens', 'max_tokens'],
  ['me\u017f\u017fages', 'messages'],
  ['\u017ftream', 'stream'],
  ['MAX_\u212a', 'max_k'],
])('%s is another spelling of %s', (name, known) => {
  expect(members.meantBy(name)).toBe(known);
  // The answer is the same the second time.
  expect(members.meantBy(name)).toBe(known);
});

it('what is spelled as it should be, or something else, passes', () => {
  for (const name of ['model', 'max_tokens', 'temperature', 'models', 'm', '', 'моdel', 'x'.repeat(10_000)]) {
    expect(members.meantBy(name)).toBeUndefined();
    expect(members.meantBy(name)).toBeUndefined();
  }
});
