import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('..', import.meta.url));
const mantineStyles = fileURLToPath(new URL('../../../node_modules/@mantine/core/styles/', import.meta.url));
const files = globSync('**/*.{ts,tsx}', { cwd: source }).map((file) =>
  readFileSync(`${source}/${file}`, 'utf8'),
);

/** The names that files import from Mantine, including types. */
function importedNames(): Set<string> {
  const names = new Set<string>();
  for (const text of files) {
    for (const [, list = ''] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)) {
      for (const entry of list.split(',')) {
        names.add(entry.trim().split(' as ')[0] ?? '');
      }
    }
  }
  return names;
}

test('every Mantine component that the site uses has its styles', () => {
  const used = [...importedNames()].filter((name) => /^[A-Z]/.test(name));
  const withStyles = used.filter((name) => existsSync(`${mantineStyles}${name}.css`));
  expect(withStyles).toContain('Button');
  const missing = withStyles.filter(
    (name) => !files.some((text) => text.includes(`'@mantine/core/styles/${name}.css'`)),
  );
  expect(missing).toEqual([]);
});
