import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsTables } from './settings-tables.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const BETWEEN = /(?<=<!-- settings: .+ -->\n\n).*?(?=<!-- end of settings -->)/s;

it('docs/configuration.md has every setting as .env.example says it; run this test with -u when it has changed', async () => {
  const page = read('docs/configuration.md');
  expect(page).toMatch(BETWEEN);
  const tables = settingsTables(read('.env.example'));
  await expect(page.replace(BETWEEN, () => `${tables}\n\n`)).toMatchFileSnapshot(
    '../../docs/configuration.md',
  );
});
