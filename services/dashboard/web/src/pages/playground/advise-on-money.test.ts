import { expect, test } from 'vitest';
import type { Team, TeamsResponse } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { buildPool, buildSeat, buildTeam } from '../../wire-fixture.ts';
import { adviseOnMoney, canPay } from './advise-on-money.ts';

const pool = (scope: Pool['scope'], ownerId: string, remainingUsd = '5.000000000') =>
  buildPool({ scope, ownerId, leftUsd: remainingUsd, remainingUsd });

const team = (role: Team['role'], pools: Pool[]) =>
  buildTeam({ id: 'search', role, pools, seats: [buildSeat({ id: 'seat', isOwn: true })] });

const response = (accountPools: Pool[], ...teams: Team[]): TeamsResponse => ({
  accountPools,
  teams,
  offeredSeats: [],
});
const FREE = { to: '/dashboard/models?capability=chat&tier=free', label: 'See the free models' };

test('without any money the advice is a free model or the operator', () => {
  for (const known of [undefined, response([]), response([], team('owner', []))]) {
    expect(adviseOnMoney(known, undefined)).toEqual({
      text: 'Choose a free model or ask your operator for money.',
      link: FREE,
      needsOperator: true,
    });
  }
});

test('where credit is sold, the advice is to buy it, except for members of a team', () => {
  expect(adviseOnMoney(response([]), undefined, true)).toEqual({
    text: 'Choose a free model or buy credit.',
    link: FREE,
    needsOperator: true,
  });
  expect(adviseOnMoney(response([], team('member', [])), 'seat', true).text).toMatch('ask the owner of');
});

test('a payer can pay with reserved money, and while its pools are unknown', () => {
  const reserved = {
    ...pool('account', 'ada', '0.000000000'),
    leftUsd: '5.000000000',
    heldUsd: '5.000000000',
  };
  expect(canPay(response([reserved]), undefined)).toBe(true);
  expect(canPay(undefined, undefined)).toBe(true);
  expect(canPay(response([pool('account', 'ada', '0.000000000')]), undefined)).toBe(false);
  expect(canPay(response([], team('member', [pool('team', 'search')])), undefined)).toBe(false);
  expect(canPay(response([], team('member', [pool('team', 'search')])), 'seat')).toBe(true);
});

test('a member of a team without money is advised to ask its owner', () => {
  expect(adviseOnMoney(response([], team('member', [])), 'seat').text).toBe(
    'Choose a free model or ask the owner of Search for money.',
  );
});

test('another payer is suggested only if it has money', () => {
  const withMoney = response([], team('member', [pool('team', 'search')]));
  expect(adviseOnMoney(withMoney, undefined).text).toBe(
    'Choose a free model or let your seat in Search pay.',
  );
  const spent = response([], team('member', [pool('team', 'search', '0.000000000')]));
  expect(adviseOnMoney(spent, undefined).text).not.toContain('Search');
});

test('only the owner of a team is advised to move money', () => {
  const pools = [pool('account', 'ada')];
  expect(adviseOnMoney(response(pools, team('owner', [])), 'seat')).toEqual({
    text: 'Choose a free model, let your account pay or move money to it.',
    link: { to: '/dashboard/teams/search', label: 'Move money' },
  });
  expect(adviseOnMoney(response(pools, team('member', [])), 'seat').link).toEqual(FREE);
});

test('with a small balance the advice is a lower maximum output', () => {
  expect(adviseOnMoney(response([pool('account', 'ada', '0.000010000')]), undefined).text).toBe(
    'Choose a free model, lower the maximum output in the settings or ask your operator for money.',
  );
});
