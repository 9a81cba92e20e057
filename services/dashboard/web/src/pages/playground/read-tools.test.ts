import { expect, test } from 'vitest';
import { EXAMPLE_TOOLS, readTools } from './read-tools.ts';

test('a list of tools and a single tool are read', () => {
  const [tool] = JSON.parse(EXAMPLE_TOOLS);
  expect(readTools(EXAMPLE_TOOLS)).toEqual([tool]);
  expect(readTools(JSON.stringify(tool))).toEqual([tool]);
});

test.each([
  ['{', 'This is not JSON'],
  ['[]', 'at least one'],
  ['[{}]', 'Tool 1 has no "type"'],
  ['[{"type":"web_search"},{"type":"function"}]', 'Tool 2 has no "name"'],
])('%s has a problem', (text, problem) => {
  expect(readTools(text)).toContain(problem);
});
