import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as actions from '../../src/audit/actions.ts';

it('docs/audit.md names every action', () => {
  const page = readFileSync(new URL('../../../../docs/audit.md', import.meta.url), 'utf8');
  const named = Object.values(actions).flat();
  expect(named).toContain('api_key.created');
  expect(named.filter((action) => !page.includes(`\`${action}\``))).toEqual([]);
});
