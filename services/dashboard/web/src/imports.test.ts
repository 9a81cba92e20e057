import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('.', import.meta.url));

test('the site takes only types of what needs Node: rules, and messages that are checked by the server', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !file.includes('.test.'));
  const values = files.filter((file) =>
    /^import (?!type )[^;]*from '(@model-gateway\/shared\/rules|[./]+\/wire\/(rules|keys)\.ts)'/m.test(
      readFileSync(`${source}/${file}`, 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(values).toEqual([]);
});
