import { expect, it } from 'vitest';
import { waitingText } from './waiting-text.ts';

it('says how many calls wait for a provider, and for how long', () => {
  expect(waitingText({ calls: 3, longest_seconds: 120 })).toBe('3 calls waiting for 120 s');
  expect(waitingText({ calls: 1, longest_seconds: 12 })).toBe('1 call waiting for 12 s');
});
