import { describe, expect, it } from 'vitest';
import { affinityKey } from './affinity-key.ts';
import { rankMembers } from './rendezvous.ts';

const MEMBERS = [1, 2, 3, 4, 5].map((weight) => ({ id: `ACME_API_KEY_${weight}`, weight }));
const CONVERSATIONS = Array.from({ length: 30_000 }, (_, index) =>
  affinityKey('acct_1', 'session', `s${index}`),
);

const first = (members: typeof MEMBERS, key: (typeof CONVERSATIONS)[number]) =>
  rankMembers(members, key, ({ id }) => id)[0]?.id;

describe('the member that a conversation prefers', () => {
  it('is each member in proportion to its weight', () => {
    for (const { id, weight } of MEMBERS) {
      const share = weight / 15;
      const count = CONVERSATIONS.filter((key) => first(MEMBERS, key) === id).length;
      // Six standard deviations; the keys are always the same.
      const bound = 6 * Math.sqrt(CONVERSATIONS.length * share * (1 - share));
      expect(Math.abs(count - share * CONVERSATIONS.length)).toBeLessThan(bound);
    }
  });

  it('does not depend on the order of the members', () => {
    for (const key of CONVERSATIONS.slice(0, 1_000))
      expect(first(MEMBERS.toReversed(), key)).toBe(first(MEMBERS, key));
  });

  it('changes only for conversations of a member that is missing, which spread over the others by weight', () => {
    const left = MEMBERS.slice(0, 4);
    const moved: Record<string, number> = {};
    for (const key of CONVERSATIONS) {
      const before = first(MEMBERS, key);
      const after = first(left, key) ?? '';
      if (before === 'ACME_API_KEY_5') moved[after] = (moved[after] ?? 0) + 1;
      else expect(after).toBe(before);
    }
    const total = Object.values(moved).reduce((sum, count) => sum + count, 0);
    for (const { id, weight } of left) expect((moved[id] ?? 0) / total).toBeCloseTo(weight / 10, 1);
  });
});
