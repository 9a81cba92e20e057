import { expect, it } from 'vitest';
import { describeWaiting } from './describe-waiting.ts';

it('the description names how many calls wait for a provider, and for how long', () => {
  expect(describeWaiting({ calls: 3, longest_seconds: 120 })).toBe('3 calls waiting for 120 s');
  expect(describeWaiting({ calls: 1, longest_seconds: 12 })).toBe('1 call waiting for 12 s');
});
