import { expect, it } from 'vitest';
import { listingRules, writeListingRules } from './listing-rules.ts';

const NONE = { models: [], providers: [], endpoints: [] };

it('rules of levels in any order are the same text', () => {
  const one = writeListingRules({ ...NONE, models: [['a/*'], ['b"/ü']], providers: [['p']] });
  expect(writeListingRules({ providers: [['p']], endpoints: [], models: [['b"/ü'], ['a/*']] })).toBe(one);
  expect(listingRules.parse(JSON.parse(one ?? ''))).toEqual({
    ...NONE,
    models: [['a/*'], ['b"/ü']],
    providers: [['p']],
  });
});

it('rules that leave no model out are no text', () => {
  expect(writeListingRules(NONE)).toBeUndefined();
  expect(writeListingRules({ ...NONE, models: [[]] })).toBeDefined();
});
