import { newRequestId } from '@model-gateway/shared';
import { simulatedCatalog, until } from '@model-gateway/test-kit';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { EndUserDeletionStore } from '../../src/end-users/end-user-deletion-store.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { eventsFor, subscribe } from '../fixtures/events-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { useReceiver } from '../fixtures/webhook-receiver-fixture.ts';
import { LOOPBACK, webhooksOf } from '../fixtures/webhooks-fixture.ts';

const control = useControlPlanes({ count: 2, environment: LOOPBACK });
const api = manage(control);
const receiver = useReceiver();
const webhooks = webhooksOf(control);

beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});
beforeEach(async () => {
  await control.sql`DELETE FROM webhook_endpoints`;
});

async function payer() {
  const { accountId, pool } = await newPayer(control, '100.00');
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [50_000_000_000] });
  const row = (cost: number, more: UsageRowChanges = {}) =>
    usageRow({
      ...{ accountId, requestId: newRequestId(), allowanceId: allowance.id, cost: String(cost) },
      ...{ modelId: 'sim/chat-pro', priceVersion: 1, ...more },
    });
  const charged = async () => {
    const [sum] = await control.sql`
      SELECT coalesce(sum(-amount), 0)::text AS sum FROM ledger_entries
      WHERE pool_id = ${pool} AND kind IN ('charge', 'correction')`;
    return String(sum?.sum);
  };
  return { accountId, row, charged };
}

const settle = (...rows: ReturnType<typeof usageRow>[]) => settleRows(control.query, rows);
const late = { endedAt: new Date(Date.now() - 10 * 60_000).toISOString() };

async function settledFor(endpoint: string, count: number) {
  await until(async () => (await eventsFor(control, endpoint)).length >= count);
  const events = await eventsFor(control, endpoint);
  const sum = events.reduce((total, { data }) => total + BigInt(String(data.cost_nano_usd)), 0n);
  return { events: events.map(({ data }) => data), sum: String(sum) };
}

it('each settled request is reported once, with its receipt, to its account and to the installation', async () => {
  const { accountId, charged, row } = await payer();
  const other = await payer();
  const [own, all] = [
    await subscribe(control, ['request.settled'], accountId),
    await subscribe(control, ['request.settled']),
  ];
  const rows = [row(3_000_000_001, { tags: { project: 'alpha' } }), row(0), row(5, late)];
  await settle(...rows);
  await settle(other.row(7));
  const { events, sum } = await settledFor(own, 3);
  expect(events.map(({ request_id }) => request_id).sort()).toEqual(
    rows.map(({ requestId }) => requestId).sort(),
  );
  expect(sum).toBe(await charged());
  expect(events.find(({ request_id }) => request_id === rows[0]?.requestId)).toMatchObject({
    ...{ object: 'usage.receipt', account_id: accountId, key_id: 'key_test', model: 'sim/chat-pro' },
    ...{ settled_usd: '3.000000001', cost_nano_usd: '3000000001', tags: { project: 'alpha' } },
    ...{ is_provisional: false, is_correction: false, pools: [{ debited_usd: '3.000000001' }] },
  });
  expect(JSON.stringify(events)).not.toMatch(/operator_error|credential_env/);
  expect((await settledFor(all, 4)).sum).toBe(String(BigInt(await charged()) + 7n));
});

it.each([
  ['before it is reported', async () => undefined],
  ['after it was reported', async (endpoint: string) => void (await settledFor(endpoint, 1))],
])('a final report that replaces a provisional one %s makes the sum right', async (_name, wait) => {
  const { accountId, charged, row } = await payer();
  const endpoint = await subscribe(control, ['request.settled'], accountId);
  const provisional = row(9_000);
  await settleRows(control.query, [provisional], true);
  await wait(endpoint);
  await settle({ ...provisional, cost: '4000' });
  await until(async () => (await settledFor(endpoint, 1)).sum === '4000');
  expect(await charged()).toBe('4000');
  const { events } = await settledFor(endpoint, 1);
  expect(events.at(-1)).toMatchObject({ is_provisional: false, settled_usd: '0.000004000' });
  if (events.length === 2)
    expect(events).toMatchObject([
      { is_provisional: true, is_correction: false, cost_nano_usd: '9000' },
      { is_provisional: false, is_correction: true, cost_nano_usd: '-5000' },
    ]);
});

it('a late provisional report and its final one are both in the sum, once', async () => {
  const { accountId, charged, row } = await payer();
  const endpoint = await subscribe(control, ['request.settled'], accountId);
  const provisional = row(9_000, late);
  await settleRows(control.query, [provisional], true);
  await settle({ ...provisional, cost: '12000' });
  await until(async () => (await settledFor(endpoint, 1)).sum === '12000');
  expect(await charged()).toBe('12000');
});

it('without a subscriber nothing is stored, and the previous release may roll up', async () => {
  const { row } = await payer();
  const [before] = await control.sql`SELECT clock_timestamp() AS now`;
  await settle(row(5), row(6, late));
  await until(async () => {
    await control.sql`SELECT roll_up_settlements(1000)`;
    return (await control.sql`SELECT FROM pending_settlements`).length === 0;
  });
  expect(
    await control.sql`SELECT FROM events WHERE type = 'request.settled' AND created_at > ${before?.now}`,
  ).toEqual([]);
  const endpoint = await subscribe(control, ['request.settled']);
  const last = row(7);
  await settle(last);
  expect(await control.sql`SELECT roll_up_settlements(1000) AS count`).toEqual([{ count: 0 }]);
  await until(async () => {
    const { events } = await settledFor(endpoint, 1);
    return events.some(({ request_id }) => request_id === last.requestId);
  });
});

it('a deleted end user is named in no stored event', async () => {
  const { accountId, row } = await payer();
  const endpoint = await subscribe(control, ['request.settled'], accountId);
  await settle(row(5, { endUser: 'ada' }), row(6, { endUser: 'bob' }));
  await settledFor(endpoint, 2);
  await new EndUserDeletionStore(control.prisma).delete(
    { type: 'operator_token', way: 'cli', ip: '127.0.0.1' },
    { accountId, endUser: 'ada' },
  );
  const { events } = await settledFor(endpoint, 2);
  expect(events.map(({ end_user }) => end_user).sort()).toEqual(['bob', null].sort());
});

it('only webhooks of the installation get the cost at the provider and the margin, pushed or pulled', async () => {
  const { accountId, row } = await payer();
  const add = async (path: string, account?: string) => {
    const options = { events: ['request.settled'], ...(account !== undefined && { account }) };
    return (await webhooks.add(receiver.url(path), options)).id;
  };
  const [own, all] = [await add('own', accountId), await add('all')];
  const provisional = row(13_700, { providerCost: '10000', attemptsCost: '777' });
  await settleRows(control.query, [provisional], true);
  await until(() => receiver.at('all').length === 1);
  await settle({ ...provisional, cost: '6850', providerCost: '5000' });
  const sentTo = async (path: string) => {
    await until(() => receiver.at(path).length === 2);
    return receiver.at(path).map(({ text }) => JSON.parse(text).data);
  };
  const pulled = async (id: string) => {
    const { body } = await api.get(`/admin/v1/webhooks/${id}/events`);
    return z
      .array(z.looseObject({ data: z.looseObject({}) }))
      .parse(body.data)
      .map(({ data }) => data);
  };
  const money = [
    { cost_nano_usd: '13700', provider_cost_nano_usd: '10777', margin_nano_usd: '2923' },
    { cost_nano_usd: '-6850', provider_cost_nano_usd: '-5000', margin_nano_usd: '-1850' },
  ];
  expect(await sentTo('all')).toMatchObject(money);
  await until(async () => (await pulled(all)).length === 2);
  expect(await pulled(all)).toMatchObject(money);
  const ofAccount = [...(await sentTo('own')), ...(await pulled(own))];
  expect(ofAccount).toHaveLength(4);
  expect(JSON.stringify(ofAccount)).not.toMatch(/provider_cost|margin|10777|5777/);
});
