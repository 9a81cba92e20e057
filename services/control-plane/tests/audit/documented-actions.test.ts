import { readFileSync } from 'node:fs';
import * as actions from '@model-gateway/shared/audit-actions';
import { expect, it } from 'vitest';

it('docs/audit.md names every action', () => {
  const page = readFileSync(new URL('../../../../docs/audit.md', import.meta.url), 'utf8');
  const named = Object.values(actions).flat();
  expect(named).toContain('api_key.created');
  expect(named.filter((action) => !page.includes(`\`${action}\``))).toEqual([]);
});
