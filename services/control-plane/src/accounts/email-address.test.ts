import { expect, it } from 'vitest';
import { parseEmail, requireEmail } from './email-address.ts';

it('e-mail addresses ignore the case of letters, and a suffix after a plus makes another address', () => {
  expect(requireEmail(' CFO@Example.com ', 'an account')).toBe('cfo@example.com');
  expect(requireEmail('cfo+x@example.com', 'an account')).toBe('cfo+x@example.com');
});

it('an e-mail address with look-alike letters is refused', () => {
  // U+212A is the Kelvin sign, whose lower case is the ASCII k.
  for (const text of [
    'mar\u212a@example.com',
    'c\u0131o@example.com',
    'c\uff46o@example.com',
    'c\u043efo@example.com',
  ]) {
    expect(parseEmail(text), text).toBeUndefined();
    expect(() => requireEmail(text, 'an account')).toThrow('an account needs a valid e-mail address');
  }
});
