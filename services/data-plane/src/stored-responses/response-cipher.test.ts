import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseCipher } from './response-cipher.ts';

const cipher = new ResponseCipher(randomBytes(32));
const SECRET = 'the plans of the dam';

describe('a stored value', () => {
  it('decrypts to the original for the same account and name', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 })),
        fc.string(),
        fc.string(),
        (parts, account, name) => {
          const pieces = parts.map((part) => Buffer.from(part));
          const sealed = cipher.of(account).seal(pieces, name);
          expect(cipher.of(account).open(sealed, name)).toEqual(Buffer.concat(pieces));
        },
      ),
    );
  });

  it('cannot be decrypted with another key, account or name', () => {
    const sealed = cipher.of('acct_1').seal([Buffer.from(SECRET)], 'a');
    expect(sealed.toString('latin1')).not.toContain('dam');
    expect(cipher.of('acct_1').open(sealed, 'b')).toBeUndefined();
    expect(cipher.of('acct_2').open(sealed, 'a')).toBeUndefined();
    expect(new ResponseCipher(randomBytes(32)).of('acct_1').open(sealed, 'a')).toBeUndefined();
  });

  it('cannot be decrypted after a byte was changed or cut off', () => {
    const account = cipher.of('acct_1');
    const sealed = account.seal([Buffer.from(SECRET)], 'a');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(account.open(changed, 'a')).toBeUndefined();
      expect(account.open(sealed.subarray(0, index), 'a')).toBeUndefined();
    }
  });

  it('is never the same bytes twice', () => {
    const account = cipher.of('acct_1');
    const seal = () => account.seal([Buffer.from(SECRET)], 'a').toString('hex');
    expect(seal()).not.toBe(seal());
  });
});
