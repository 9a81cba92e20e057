import { expect, it } from 'vitest';
import { wideComments } from './check-comments.ts';

it('a comment of more than 110 columns is refused in every language, and long code is not', () => {
  const wide = 'x'.repeat(108);
  const text = [`// ${wide}`, ` * ${wide}`, `-- ${wide}`, `const a = '${wide}';`, '// short'].join('\n');
  expect(wideComments('a.ts', text).map((line) => line.split(' ')[0])).toEqual([
    'a.ts:1:',
    'a.ts:2:',
    'a.ts:3:',
  ]);
});
