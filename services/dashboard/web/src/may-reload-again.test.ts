import { expect, test } from 'vitest';
import { mayReloadAgain } from './may-reload-again.ts';

test('a tab may reload itself once a minute', () => {
  const now = 1_700_000_000_000;
  expect(mayReloadAgain(null, now)).toBe(true);
  expect(mayReloadAgain(String(now), now + 59_000)).toBe(false);
  expect(mayReloadAgain(String(now), now + 60_000)).toBe(true);
  expect(mayReloadAgain('rubbish', now)).toBe(true);
});
