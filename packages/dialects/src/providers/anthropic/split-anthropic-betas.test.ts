import { expect, it } from 'vitest';
import { splitAnthropicBetas } from './split-anthropic-betas.ts';

it('betas pass, unknown ones too, unless the provider refuses them', () => {
  const betas = ['claude-code-20250219', 'context-1m-2025-08-07', 'new-thing-2030-01-01'];
  expect(splitAnthropicBetas(betas, ['claude-code-'])).toEqual({
    passed: ['context-1m-2025-08-07', 'new-thing-2030-01-01'],
    ignored: ['claude-code-20250219'],
  });
});

it('the search for tools has the name that clouds know, asked for by a beta or by the tools themselves', () => {
  const passed = (betas: string[], defersTools: boolean) => splitAnthropicBetas(betas, [], defersTools);
  const expected = { passed: ['tool-search-tool-2025-10-19'], ignored: [] };
  expect(passed(['advanced-tool-use-2025-11-20'], false)).toEqual(expected);
  expect(passed(['tool-search-tool-2025-10-19'], true)).toEqual(expected);
  expect(passed([], true)).toEqual(expected);
});
