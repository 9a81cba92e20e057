import { expect, it } from 'vitest';
import { forgetEndUserInEvents, isOfEndUser } from '../../src/events/forget-end-user-store.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { planOf } from '../fixtures/query-plan-fixture.ts';

const control = useControlPlanes();

it('an end user among many events of its account is found by an index, and leaves no trace in them', async () => {
  const accountId = await insertAccount(control, 'events');
  await control.sql`
    INSERT INTO events (id, transaction_id, type, account_id, data)
    SELECT 'evt_' || n, 1, 'request.settled', ${accountId},
      jsonb_build_object('request_id', 'req_' || n, 'end_user', CASE WHEN n % 2 = 0 THEN 'user ' || n END)
    FROM generate_series(1, 10000) AS n`;
  await control.sql`
    INSERT INTO events (id, transaction_id, type, account_id, data) VALUES ('evt_budget', 1,
      'budget.threshold_reached', ${accountId}, '{"scope": "end_user", "scope_id": "user 500", "scope_name": "user 500"}')`;
  await control.sql`ANALYZE events`;
  const { text, values } = isOfEndUser({ accountId, endUser: 'user 500' });
  const nodes = await planOf(control, { text: `SELECT * FROM events WHERE ${text}`, values });
  expect(nodes.map((node) => node['Rows Removed by Filter'] ?? 0)).toEqual(nodes.map(() => 0));
  await control.prisma.$transaction((transaction) =>
    forgetEndUserInEvents(transaction, { accountId, endUser: 'user 500' }, []),
  );
  const left = await control.sql`
    SELECT id FROM events WHERE account_id = ${accountId} AND data::text LIKE '%user 500"%'`;
  expect(left).toEqual([]);
});
