import { randomUUID } from 'node:crypto';
import { simulatedCatalog } from '@model-gateway/test-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ProviderReportStore } from '../../src/provider-reports/provider-report-store.ts';
import { newPayer } from '../fixtures/allowances-fixture.ts';
import { at, type ControlPlanes, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const answer = z.object({
  data: z.array(
    z.object({
      kind: z.string(),
      severity: z.string(),
      object: z.object({ id: z.string() }),
      since: z.string().nullable(),
      sentence: z.string(),
      next: z.object({ text: z.string(), page: z.string().nullable(), command: z.string().nullable() }),
    }),
  ),
  totals: z.array(z.object({ kind: z.string(), total: z.int() })),
});

let control: ControlPlanes;

beforeEach(async () => {
  control = await startControlPlanes();
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});
afterEach(async () => {
  await control[Symbol.asyncDispose]();
});

async function attention() {
  const { body, status } = await manage(control).get('/admin/v1/attention');
  expect(status, control.logText().slice(-4000)).toBe(200);
  return answer.parse(body);
}
const of = async (kind: string) => (await attention()).data.filter((item) => item.kind === kind);

async function report(attempt: object): Promise<void> {
  const settlement = new Settlement(at(control.callers, 0));
  await settlement.settle([outcomeOf('sim/chat', attempt)]);
  settlement.end();
}

it('a gateway without trouble needs no attention', async () => {
  expect(await attention()).toEqual({ data: [], totals: [] });
});

it('a credential that data planes report as refused needs attention, once, since the first refusal', async () => {
  const began = new Date(Date.now() - 60_000).toISOString();
  const refused = { providerId: 'sim', variable: 'SIM_KEY', model: '', httpStatus: 401, refusals: 3 };
  const store = new ProviderReportStore(control.prisma);
  const report = (instance: string, since: string, more: object = {}) =>
    store.report(instance, { breakers: [], refused: [{ ...refused, since, last: since, ...more }] }, 60_000);
  await report('one', new Date().toISOString());
  await report('two', began);
  await report('three', began, { providerId: 'retired' });
  expect(await of('credential_refused')).toMatchObject([
    {
      severity: 'critical',
      since: began,
      sentence: 'Provider sim refuses SIM_KEY (401): requests with it fail.',
      next: { page: '/operate/providers/sim', command: 'gatewayctl credentials set SIM_KEY' },
    },
  ]);
  await store.report('one', { breakers: [], refused: [] }, 60_000);
  await store.report('two', { breakers: [], refused: [] }, 60_000);
  expect(await of('credential_refused')).toEqual([]);
});

it('a provider that fails needs attention', async () => {
  for (let times = 0; times < 30; times++) await report({ outcome: 'failed' });
  const [item] = await of('provider_failing');
  expect(item).toMatchObject({ severity: 'critical', object: { id: 'sim' } });
  expect(item?.sentence).toMatch(/^Provider sim: Failing since /);
});

it('pools and budgets that are used to 80 % need attention while they are, fullest first, with a total', async () => {
  const pools = await Promise.all(
    Array.from({ length: 12 }, async () => (await newPayer(control, '10.00')).pool),
  );
  const [full = ''] = pools;
  await control.sql`
    INSERT INTO reported_states (kind, id, level, amount) SELECT 'pool', id, 80, included FROM pools`;
  await control.sql`UPDATE reported_states SET level = 100 WHERE id = ${full}`;
  await control.sql`UPDATE pools SET remaining = 1500000000, charged = 8500000000`;
  const { data, totals } = await attention();
  expect(data).toHaveLength(10);
  expect(data[0]).toMatchObject({ severity: 'warning', object: { id: full } });
  expect(data[1]?.sentence).toBe('Pool 10.00 USD of account Payer is used to 80 % or more: $8.50 of $10.00.');
  expect(totals).toEqual([{ kind: 'pool_nearly_used', total: 12 }]);
  await control.sql`UPDATE pools SET remaining = 10000000000, charged = 0 WHERE id <> ${full}`;
  expect(await of('pool_nearly_used')).toHaveLength(1);
  await control.sql`DELETE FROM reported_states WHERE id = ${full}`;
  await control.sql`UPDATE pools SET remaining = included, charged = 0 WHERE id = ${full}`;
});

it('a budget needs attention in the window that it counts in', async () => {
  const { accountId } = await newPayer(control, '10.00');
  const id = randomUUID();
  await control.sql`
    INSERT INTO budgets (id, owner, position, "limit", "window")
    VALUES (${id}, ${`account:${accountId}`}, 0, 2000000000, 'day')`;
  await control.sql`INSERT INTO budget_windows (id, budget_id, spent) VALUES (${`${id}/1`}, ${id}, 2000000000)`;
  await control.sql`
    INSERT INTO reported_states (kind, id, level, amount) VALUES ('budget', ${`${id}/1`}, 100, 2000000000)`;
  expect(await of('budget_nearly_used')).toMatchObject([
    { sentence: 'Budget of the day of account Payer is used up: $2.00 of $2.00.' },
  ]);
  await control.sql`UPDATE budget_windows SET created_at = now() - interval '25 hours'`;
  expect(await of('budget_nearly_used')).toEqual([]);
  await control.sql`DELETE FROM budget_windows`;
});

it('a ledger that does not add up needs attention first', async () => {
  await control.sql`
    INSERT INTO reported_states (kind, id, level) VALUES ('ledger', 'pool p1', 1), ('ledger', 'pool p2', 1)`;
  await control.sql`
    INSERT INTO webhook_endpoints (id, url, events, failing_since)
    VALUES ('wh_other', 'https://hooks.example.com/x', '{}', now())`;
  const { data } = await attention();
  expect(data[0]).toMatchObject({
    kind: 'ledger_mismatch',
    sentence: '2 sums of money in the ledger do not add up.',
    next: { page: '/operate/fleet', command: 'gatewayctl verify-ledger' },
  });
});

it('a unit that requests used needs a price until the model has one', async () => {
  const [model] = await control.sql`SELECT model_id FROM model_prices ORDER BY model_id LIMIT 1`;
  const id = `${String(model?.model_id)} web_search_requests`;
  await control.sql`
    INSERT INTO reported_states (kind, id, level) VALUES
      ('unpriced', ${`${id} 2026-11-25`}, 1), ('unpriced', ${`${id} 2026-11-26`}, 1)`;
  const before = await of('unpriced_unit');
  expect(before).toHaveLength(1);
  expect(before[0]?.sentence).toContain('has no price for web search requests');
  await control.sql`
    INSERT INTO model_prices (model_id, version, pricing)
    SELECT model_id, max(version) + 1, '{"web_search_request_usd": "0.01"}' FROM model_prices
    WHERE model_id = ${String(model?.model_id)} GROUP BY model_id`;
  expect(await of('unpriced_unit')).toEqual([]);
});

it('data planes that are behind or lost need attention', async () => {
  await control.sql`
    INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
    VALUES ('lost', 'nobody', 9, now() - interval '1 minute'), ('slow', 'nobody', 4, now() + interval '1 minute'),
      ('current', 'nobody', 9, now() + interval '1 minute')`;
  await control.sql`
    INSERT INTO key_events (revision, key_id, lookup_hash, revoked, created_at)
    VALUES (4, 'k', 'h', true, now() - interval '2 minutes'), (9, 'k', 'h', true, now() - interval '1 minute')`;
  expect(await of('data_plane_lost')).toMatchObject([{ object: { id: 'lost' } }]);
  expect(await of('data_plane_behind')).toMatchObject([{ object: { id: 'slow' } }]);
});

it('a failing webhook needs attention, those of the installation first', async () => {
  const insert = (id: string, accountId: string | null, toldAt: Date | null) => control.sql`
    INSERT INTO webhook_endpoints (id, account_id, url, events, failing_since, failure_told_at)
    VALUES (${id}, ${accountId}, 'https://hooks.example.com/x', '{}', now() - interval '1 hour', ${toldAt})`;
  await insert('wh_account', 'acct_test', new Date());
  await insert('wh_all', null, new Date());
  await insert('wh_retried', null, null);
  expect(await of('webhook_failing')).toMatchObject([
    { object: { id: 'wh_all' }, severity: 'warning', next: { page: '/operate/webhooks/wh_all' } },
    {
      object: { id: 'wh_account' },
      severity: 'notice',
      next: { command: 'gatewayctl webhooks show wh_account' },
    },
  ]);
});

it('sums of usage that are behind need attention', async () => {
  await control.sql`
    INSERT INTO pending_settlements (number, first_ended_at, last_ended_at)
    VALUES (1, now() - interval '10 minutes', now())`;
  expect(await of('sums_behind')).toHaveLength(1);
});
