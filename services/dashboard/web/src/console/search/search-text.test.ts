import { expect, it } from 'vitest';
import { searchText } from './search-text.ts';

const SECRET = 'AbCdEfGh0123456789AbCdEfGh0123456789AbCdEfGh012345';

it.each([
  [`gw_live_${SECRET}`, 'gw_live_AbCdEfGh'],
  [`  Bearer gw_live_${SECRET}\n`, 'gw_live_AbCdEfGh'],
  [`gw_admin_${SECRET}`, 'gw_admin_AbCdEfGh'],
  ['gw_live_AbCd', 'gw_live_AbCd'],
  [' ada@example.com ', 'ada@example.com'],
])('of %j, the search sends %j', (typed, sent) => {
  expect(searchText(typed)).toBe(sent);
});
