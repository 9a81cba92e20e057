import { expect, test } from 'vitest';
import type { Team, TeamsResponse } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { adviseOnMoney, canPay } from './advise-on-money.ts';

const pool = (scope: Pool['scope'], ownerId: string, remainingUsd = '5.000000000'): Pool => ({
  id: `pool-of-${ownerId}`,
  name: 'Budget',
  scope,
  ownerId,
  includedUsd: '5.000000000',
  usedUsd: '0.000000000',
  leftUsd: remainingUsd,
  heldUsd: '0.000000000',
  remainingUsd,
  resetsAtMs: null,
});

const team = (role: Team['role'], pools: Pool[]): Team => ({
  id: 'search',
  name: 'Search',
  role,
  requestsPerMinute: 60,
  createdAtMs: 0,
  pools,
  invitations: [],
  seats: [
    {
      id: 'seat',
      email: 'ada@example.com',
      isOwn: true,
      createdAtMs: 0,
      activeKeys: 0,
      requestsThisMonth: 0,
      costThisMonthUsd: '0.000000000',
    },
  ],
});

const answer = (accountPools: Pool[], ...teams: Team[]): TeamsResponse => ({
  accountPools,
  teams,
  offeredSeats: [],
});
const FREE = { to: '/dashboard/models?capability=chat&tier=free', label: 'See the free models' };

test('without any money the advice is the operator and the free models, and no pools', () => {
  for (const known of [undefined, answer([]), answer([], team('owner', []))]) {
    expect(adviseOnMoney(known, undefined)).toEqual({
      text: 'Choose a free model or ask your operator for money.',
      link: FREE,
      needsOperator: true,
    });
  }
});

test('money that is reserved at this moment pays, and what is not known is not denied', () => {
  const reserved = {
    ...pool('account', 'ada', '0.000000000'),
    leftUsd: '5.000000000',
    heldUsd: '5.000000000',
  };
  expect(canPay(answer([reserved]), undefined)).toBe(true);
  expect(canPay(undefined, undefined)).toBe(true);
  expect(canPay(answer([pool('account', 'ada', '0.000000000')]), undefined)).toBe(false);
  expect(canPay(answer([], team('member', [pool('team', 'search')])), undefined)).toBe(false);
  expect(canPay(answer([], team('member', [pool('team', 'search')])), 'seat')).toBe(true);
});

test('a member whose team has no money asks its owner', () => {
  expect(adviseOnMoney(answer([], team('member', [])), 'seat').text).toBe(
    'Choose a free model or ask the owner of Search for money.',
  );
});

test('another payer is named only if it has money', () => {
  const withMoney = answer([], team('member', [pool('team', 'search')]));
  expect(adviseOnMoney(withMoney, undefined).text).toBe(
    'Choose a free model or let your seat in Search pay.',
  );
  const spent = answer([], team('member', [pool('team', 'search', '0.000000000')]));
  expect(adviseOnMoney(spent, undefined).text).not.toContain('Search');
});

test('only who owns a team is led to moving money', () => {
  const pools = [pool('account', 'ada')];
  expect(adviseOnMoney(answer(pools, team('owner', [])), 'seat')).toEqual({
    text: 'Choose a free model, let your account pay or move money to it.',
    link: { to: '/dashboard/teams/search', label: 'Move money' },
  });
  expect(adviseOnMoney(answer(pools, team('member', [])), 'seat').link).toEqual(FREE);
});

test('what is left may pay a shorter answer', () => {
  expect(adviseOnMoney(answer([pool('account', 'ada', '0.000010000')]), undefined).text).toBe(
    'Choose a free model, ask for a shorter answer in the settings or ask your operator for money.',
  );
});
