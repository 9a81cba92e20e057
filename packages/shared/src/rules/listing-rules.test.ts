import { expect, it } from 'vitest';
import { listingRules, writeListingRules } from './listing-rules.ts';

const NONE = { models: [], providers: [], endpoints: [] };

it('the same rules in another order of levels are written as the same text', () => {
  const one = writeListingRules({ ...NONE, models: [['a/*'], ['b"/ü']], providers: [['p']] });
  expect(writeListingRules({ providers: [['p']], endpoints: [], models: [['b"/ü'], ['a/*']] })).toBe(one);
  expect(listingRules.parse(JSON.parse(one ?? ''))).toEqual({
    ...NONE,
    models: [['a/*'], ['b"/ü']],
    providers: [['p']],
  });
});

it('rules that allow all models are not written', () => {
  expect(writeListingRules(NONE)).toBeUndefined();
  expect(writeListingRules({ ...NONE, models: [[]] })).toBeDefined();
});
