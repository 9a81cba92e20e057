import { expect, it } from 'vitest';
import { connectionShares, overdrawnBudget } from './connection-budget.ts';

it.each([
  [5, { working: 3, reading: 1 }],
  [15, { working: 10, reading: 4 }],
  [20, { working: 13, reading: 6 }],
  [100, { working: 93, reading: 6 }],
])('%i connections to Postgres are divided, and one of them listens', (connections, shares) => {
  expect(connectionShares(connections)).toEqual(shares);
});

it('the connections fit when control planes, dashboards and migrations can all have theirs', () => {
  const limits = { allowed: 97, setBy: 'max_connections' };
  expect(overdrawnBudget(limits, { databaseConnections: 15, maxControlPlanes: 5 })).toBeUndefined();
  const warning = overdrawnBudget(limits, { databaseConnections: 16, maxControlPlanes: 5 });
  expect(warning).toBe(
    'Postgres allows 97 connections (max_connections), and 5 control planes with 16 each and 22 of dashboards ' +
      'and migrations make 102: raise max_connections, or set DATABASE_CONNECTIONS to 15 or less',
  );
});
