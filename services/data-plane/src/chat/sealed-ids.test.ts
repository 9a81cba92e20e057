import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SealedIds } from './sealed-ids.ts';

const PEPPER = 'p'.repeat(32);
const OLD_PEPPER = 'o'.repeat(32);
const ids = new SealedIds(PEPPER);
const sealed = ids.sealer('acct_1', 'acme/small').seal('acme', 'resp_123');

/** Text that JSON and UTF-8 can both carry. */
const responseId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });

describe('the sealed id of a response', () => {
  it('opens to the provider, model and id that it was sealed from', () => {
    fc.assert(
      fc.property(responseId, (id) => {
        const opened = ids.open('acct_1', ids.sealer('acct_1', 'acme/small').seal('acme', id));
        expect(opened).toEqual({ providerId: 'acme', modelId: 'acme/small', responseId: id });
      }),
    );
  });

  it('opens with the key of its conversation, and not as an id of the form without a key', () => {
    const affinityKey = { high: 0xfedcba98, low: 7 };
    const withKey = ids.sealer('acct_1', 'acme/small', affinityKey).seal('acme', 'resp_123');
    const opened = { providerId: 'acme', modelId: 'acme/small', responseId: 'resp_123' };
    expect(ids.open('acct_1', withKey)).toEqual({ ...opened, affinityKey });
    expect(ids.open('acct_2', withKey)).toBeUndefined();
    for (const [id, version] of [
      [withKey, 1],
      [sealed, 2],
    ] as const) {
      const bytes = Buffer.from(id.slice('resp_'.length), 'base64url');
      bytes[0] = version;
      expect(ids.open('acct_1', `resp_${bytes.toString('base64url')}`)).toBeUndefined();
    }
  });

  it.each([undefined, { high: 1, low: 2 }])(
    'opens with guardrails, and as no other version',
    (affinityKey) => {
      const guardrails = ['words', 'keys'];
      const checked = ids
        .sealer('acct_1', 'acme/small', affinityKey, () => guardrails)
        .seal('acme', 'resp_123');
      const opened = { providerId: 'acme', modelId: 'acme/small', responseId: 'resp_123' };
      expect(ids.open('acct_1', checked)).toEqual({ ...opened, affinityKey, guardrails });
      const bytes = Buffer.from(checked.slice('resp_'.length), 'base64url');
      const sealedAs = bytes[0] ?? 0;
      for (const version of [0, 1, 2, 3, 4, 5].filter((each) => each !== sealedAs)) {
        bytes[0] = version;
        expect(ids.open('acct_1', `resp_${bytes.toString('base64url')}`)).toBeUndefined();
      }
    },
  );

  it('looks like an id of OpenAI, and needs no encoding in a path', () => {
    expect(sealed).toMatch(/^resp_[\w-]+$/);
  });

  it('is the same each time, so that a client can compare', () => {
    expect(ids.sealer('acct_1', 'acme/small').seal('acme', 'resp_123')).toBe(sealed);
  });

  it('opens for no other account', () => {
    expect(ids.open('acct_2', sealed)).toBeUndefined();
    expect(ids.open('', sealed)).toBeUndefined();
  });

  it('does not open once any one character was changed, left out or added', () => {
    const character = fc.oneof(
      fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .'),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.nat(sealed.length), fc.nat(1), fc.option(character), (at, removed, added) => {
        const changed = sealed.slice(0, at) + (added ?? '') + sealed.slice(at + removed);
        fc.pre(changed !== sealed);
        expect(ids.open('acct_1', changed)).toBeUndefined();
      }),
      { numRuns: 5_000 },
    );
  });

  it('does not open if its last character is another one that decodes to the same bytes', () => {
    for (const length of [1, 2, 3]) {
      const id = ids.sealer('acct_1', 'acme/small').seal('acme', 'x'.repeat(length));
      for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
        const other = id.slice(0, -1) + last;
        expect(ids.open('acct_1', other) !== undefined).toBe(other === id);
      }
    }
  });

  it('opens in another process with the same pepper, and in none with another', () => {
    expect(new SealedIds(PEPPER).open('acct_1', sealed)).toBeDefined();
    expect(new SealedIds(OLD_PEPPER).open('acct_1', sealed)).toBeUndefined();
  });

  it('opens while its pepper is being replaced, and new ids are sealed with the new pepper', () => {
    const moving = new SealedIds(PEPPER, OLD_PEPPER);
    const before = new SealedIds(OLD_PEPPER).sealer('acct_1', 'acme/small').seal('acme', 'resp_123');
    expect(moving.open('acct_1', before)?.responseId).toBe('resp_123');
    expect(moving.sealer('acct_1', 'acme/small').seal('acme', 'resp_123')).toBe(sealed);
  });

  it.each(['', 'resp_', 'resp_123', 'chatcmpl-1', `resp_${'A'.repeat(100_000)}`, 'resp_AQ', 'resp_ä'])(
    'is not %s, which opens for nobody',
    (id) => expect(ids.open('acct_1', id)).toBeUndefined(),
  );
});
