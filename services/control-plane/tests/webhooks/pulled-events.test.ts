import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { DeliveryStore } from '../../src/webhooks/delivery-store.ts';
import { openTransaction } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { webhooksOf } from '../fixtures/webhooks-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const webhooks = webhooksOf(control);

const page = z.object({
  data: z.array(z.object({ id: z.string(), type: z.string(), data: z.looseObject({}) })),
  has_more: z.boolean(),
});

async function pull(id: string, query = '') {
  const { body } = await api.get(`/admin/v1/webhooks/${id}/events${query}`);
  return page.parse(body);
}

/** Waits for older transactions, also those of other databases of this Postgres: they hold events back. */
const readable = (id: string, count: number) => until(async () => (await pull(id)).data.length === count);

/** Adds a webhook that is only pulled from. */
async function addPulled(account: string) {
  const { id } = await webhooks.add('https://localhost:1/hook', { account });
  await control.admin('webhooks', 'changeWebhook', { id, enabled: false });
  return id;
}

it('a reader that continues after the last event gets each event once, in pages', async () => {
  const account = await webhooks.newAccount();
  const id = await addPulled(account);
  const keys = [];
  for (let count = 0; count < 5; count++) keys.push(await webhooks.createKey(account));
  await readable(id, keys.length);
  const read: unknown[] = [];
  let query = '?limit=2';
  for (;;) {
    const { data, has_more } = await pull(id, query);
    read.push(...data.map((event) => event.data.id));
    if (!has_more) break;
    query = `?limit=2&after=${data.at(-1)?.id}`;
  }
  expect(read).toEqual(keys);
  const last = (await pull(id)).data.at(-1)?.id;
  expect(await pull(id, `?after=${last}`)).toEqual({ data: [], has_more: false });
});

it('no event is skipped whose transaction began earlier and commits later', async () => {
  const account = await webhooks.newAccount();
  const id = await addPulled(account);
  await using late = await openTransaction(control);
  await late.query(
    `SELECT emit_events(jsonb_build_array(jsonb_build_object('id', 'evt_late', 'type', 'key.created',
      'account_id', $1::text, 'data', '{"id": "late"}'::jsonb)))`,
    [account],
  );
  const early = await webhooks.createKey(account);
  // The later transaction has committed, but its event comes after one that may yet commit.
  expect((await pull(id)).data).toEqual([]);
  await late.query('COMMIT');
  // Other transactions on the same server may still run.
  await expect.poll(async () => (await pull(id)).data.map(({ data }) => data.id)).toEqual(['late', early]);
});

it('a page after a deleted event is refused, and the message says why', async () => {
  const account = await webhooks.newAccount();
  const id = await addPulled(account);
  expect(await api.get(`/admin/v1/webhooks/${id}/events?after=evt_gone`)).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining('kept for 30 days') } },
  });
});

it('events are deleted after 30 days, with their deliveries, and others are not', async () => {
  const account = await webhooks.newAccount();
  const id = await addPulled(account);
  const [old, kept] = [await webhooks.createKey(account), await webhooks.createKey(account)];
  await readable(id, 2);
  const [first] = (await pull(id)).data;
  expect(first?.data.id).toBe(old);
  await control.sql`UPDATE events SET created_at = now() - interval '31 days' WHERE id = ${first?.id}`;
  await new DeliveryStore(control.prisma).prune();
  expect((await pull(id)).data.map(({ data }) => data.id)).toEqual([kept]);
  expect(await webhooks.rowsOf(id)).toHaveLength(1);
});

it('after a dump was restored, a reader goes on where it was, and gets all later events', async () => {
  const account = await webhooks.newAccount();
  const id = await addPulled(account);
  const before = [await webhooks.createKey(account), await webhooks.createKey(account)];
  await readable(id, 2);
  const [first] = (await pull(id)).data;
  // Transactions of the database that was dumped had larger ids.
  for (const table of ['events', 'webhook_deliveries'])
    await control.prisma.$executeRawUnsafe(
      `UPDATE ${table} SET transaction_id = transaction_id + 5000000000`,
    );
  await control.sql`SELECT renew_epoch(NULL)`;
  const after = [await webhooks.createKey(account), await webhooks.createKey(account)];
  const keysOf = async (query: string) => (await pull(id, query)).data.map(({ data }) => data.id);
  await expect.poll(() => keysOf('')).toEqual([...before, ...after]);
  expect(await keysOf(`?after=${first?.id}`)).toEqual([before[1], ...after]);
});
