import { expect, it } from 'vitest';
import { splitAnthropicBetas } from './sort-anthropic-betas.ts';

it('betas pass, also unknown ones, except for those that the provider refuses', () => {
  const betas = ['claude-code-20250219', 'context-1m-2025-08-07', 'new-thing-2030-01-01'];
  expect(splitAnthropicBetas(betas, ['claude-code-'])).toEqual({
    passed: ['context-1m-2025-08-07', 'new-thing-2030-01-01'],
    ignored: ['claude-code-20250219'],
  });
});
