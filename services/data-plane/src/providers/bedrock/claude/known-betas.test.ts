import { expect, it } from 'vitest';
import { sortedBetas } from './known-betas.ts';

it('betas pass, unknown ones too, but for those of Anthropic’s own API', () => {
  expect(sortedBetas(['claude-code-20250219', 'context-1m-2025-08-07', 'new-thing-2030-01-01'])).toEqual({
    passed: ['context-1m-2025-08-07', 'new-thing-2030-01-01'],
    ignored: ['claude-code-20250219'],
  });
});
