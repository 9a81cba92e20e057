import { expect, it } from 'vitest';
import { countTexts } from './count-texts.ts';

const never = () => false;
/** Counts words, and records the length of the longest run in a part. */
function wordCounter() {
  const longest = { run: 0 };
  const count = (part: string) => {
    for (const run of part.match(/\S+|\s+/g) ?? []) longest.run = Math.max(longest.run, run.length);
    return part.split(' ').filter(Boolean).length;
  };
  return { count, longest };
}

it('the count is the sum over all texts', () => {
  const { count } = wordCounter();
  expect(countTexts(['one two', 'three'], { count, isSpent: never })).toBe(3);
});

it.each(['a', ' ', '漢', '_'])('a long run of %j reaches the tokenizer in short parts', (character) => {
  const { count, longest } = wordCounter();
  countTexts([`word ${character.repeat(100_000)} word`], { count, isSpent: never });
  expect(longest.run).toBeLessThanOrEqual(256);
});

it('texts beyond the time limit are extrapolated', () => {
  let parts = 0;
  const count = (part: string) => {
    parts++;
    return part.length / 4;
  };
  const text = 'abc '.repeat(40_000);
  expect(countTexts([text], { count, isSpent: () => parts >= 3 })).toBe(text.length / 4);
  expect(parts).toBe(3);
  expect(countTexts(['x'.repeat(400)], { count, isSpent: () => true })).toBe(100);
});
