import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadingPool } from '@model-gateway/database';
import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { simulatedCatalog } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PriceBook } from '../../src/billing/price-book.ts';
import { PriceStore } from '../../src/billing/price-store.ts';
import { CatalogStore } from '../../src/catalog/catalog-store.ts';
import { ProviderAttemptStore } from '../../src/reconciliation/provider-attempt-store.ts';
import { reconcileSetting } from '../../src/reconciliation/reconcile-setting.ts';
import { ReconciliationStore } from '../../src/reconciliation/reconciliation-store.ts';
import { Reconciliations } from '../../src/reconciliation/reconciliations.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { eventsFor, subscribe } from '../fixtures/events-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';

const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const NOON_MS = TODAY_MS - 2 * DAY_MS + DAY_MS / 2;
const DAY = new Date(NOON_MS).toISOString().slice(0, 10);

const control = useControlPlanes();
const folder = mkdtempSync(join(tmpdir(), 'bills-'));
let reads: ReadingPool;

beforeAll(async () => {
  reads = new ReadingPool(control.databaseUrl, { maxConnections: 2 });
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
  const attempt = {
    providerId: 'sim',
    httpStatus: 200,
    errorCode: null,
    durationMs: 10,
    endedAtMs: NOON_MS,
    providerRequestId: 'theirs_1',
  };
  const row = usageRow({
    requestId: 'req_billed',
    modelId: 'sim/chat-pro',
    priceVersion: 1,
    cost: '20000',
    attempts: [attempt],
    endedAt: new Date(NOON_MS).toISOString(),
  });
  await settleRows((...statement) => control.query(...statement), [row]);
});
afterAll(async () => {
  await reads.close();
  rmSync(folder, { recursive: true });
});

function reconciliations(hour: number, days = 0) {
  const setting = reconcileSetting.parse(JSON.stringify([{ provider: 'sim', exports: folder, hour }]));
  const registry = createRegistry();
  const made = new Reconciliations({
    providers: setting.map((each) => ({ ...each, adminKey: undefined })),
    controlPlaneId: `cp_${Math.random()}`,
    catalogStore: new CatalogStore(control.prisma),
    priceBook: new PriceBook(new PriceStore(control.prisma)),
    providerAttemptStore: new ProviderAttemptStore(reads),
    reconciliationStore: new ReconciliationStore(control.prisma),
    registry,
    log: createLogger({ service: 'test', level: 'silent' }),
    nowMs: () => TODAY_MS + 6 * 3_600_000 + days * DAY_MS,
  });
  return { made, metrics: () => registry.metrics() };
}

it('a day is compared once by all control planes, and a difference is an event and a metric', async () => {
  const endpoint = await subscribe(control, ['reconciliation.failed']);
  const planes = [reconciliations(6), reconciliations(6)];
  // Without an export it fails, and is tried again an hour later.
  await planes[0]?.made.compareDue();
  const [failed] = await control.sql`SELECT agrees, problem FROM verifications WHERE kind = 'reconciliation'`;
  expect(failed).toMatchObject({ agrees: null, problem: expect.stringContaining('has no export') });
  expect(await planes[0]?.metrics()).toContain('gateway_reconciliation_failed{provider="sim"} 1');
  await control.sql`UPDATE verifications SET ended_at = now() - interval '2 hours' WHERE kind = 'reconciliation'`;

  const header = 'time,request_id,model,input_tokens,output_tokens,cost_usd';
  const rows = [
    `${DAY}T12:00:00Z,theirs_1,sim-chat-pro,10,5,0.00002`,
    `${DAY}T13:00:00Z,theirs_2,sim-chat-pro,1000,0,0.001`,
  ];
  writeFileSync(join(folder, 'bill.csv'), [header, ...rows, ''].join('\n'));
  // An older export of the same days is not counted, too.
  writeFileSync(join(folder, 'older.csv'), [header, rows[0], ''].join('\n'));
  utimesSync(join(folder, 'older.csv'), new Date(), new Date(Date.now() - 60_000));
  await reconciliations(7).made.compareDue();
  expect(await eventsFor(control, endpoint)).toEqual([]);
  await Promise.all(planes.map(({ made }) => made.compareDue()));
  await Promise.all(planes.map(({ made }) => made.compareDue()));
  expect(await eventsFor(control, endpoint)).toEqual([
    {
      type: 'reconciliation.failed',
      accountId: null,
      data: {
        provider: 'sim',
        day: DAY,
        provider_usd: '0.001020000',
        gateway_usd: '0.000020000',
        difference_usd: '0.001000000',
        unexplained_usd: '0.000000000',
        causes: [{ cause: 'not_through_gateway', requests: 1, difference_usd: '0.001000000' }],
      },
    },
  ]);
  for (const { metrics } of planes) {
    expect(await metrics()).toContain('gateway_reconciliation_difference_usd{provider="sim"} 0.001');
    expect(await metrics()).toContain('gateway_reconciliation_exceeded{provider="sim"} 1');
    expect(await metrics()).toContain('gateway_reconciliation_failed{provider="sim"} 0');
  }
});

it('days that were missed are compared later, but none before the first one', async () => {
  const days = async () => {
    const rows = await control.sql`SELECT id FROM verifications WHERE kind = 'reconciliation' ORDER BY id`;
    return rows.map(({ id }) => String(id).slice(-10));
  };
  const before = await days();
  await reconciliations(6, 3).made.compareDue();
  const later = [1, 2, 3].map((after) => new Date(NOON_MS + after * DAY_MS).toISOString().slice(0, 10));
  expect(await days()).toEqual([...before, ...later]);
});

it('a control plane does not end a comparison that another one has claimed meanwhile', async () => {
  const endpoint = await subscribe(control, ['reconciliation.failed']);
  const store = new ReconciliationStore(control.prisma);
  const id = await store.claim({ provider: 'slow', day: DAY }, 'cp_lost');
  await control.sql`UPDATE verifications SET started_at = now() - interval '1 minute' WHERE id = ${id}`;
  expect(await store.claim({ provider: 'slow', day: DAY }, 'cp_next')).toBe(id);
  const data = { provider: 'slow', day: DAY, causes: [] };
  const usd = { provider_usd: null, gateway_usd: null, difference_usd: null, unexplained_usd: null };
  const event = { type: 'reconciliation.failed', accountId: null, data: { ...data, ...usd } } as const;
  await store.end(id ?? '', 'cp_lost', { agrees: false, result: {}, problem: null }, [event]);
  expect(await eventsFor(control, endpoint)).toEqual([]);
  const [row] = await control.sql`SELECT ended_at, control_plane_id FROM verifications WHERE id = ${id}`;
  expect(row).toMatchObject({ ended_at: null, control_plane_id: 'cp_next' });
  await store.end(id ?? '', 'cp_next', { agrees: false, result: {}, problem: null }, [event]);
  expect(await eventsFor(control, endpoint)).toHaveLength(1);
});

it.each([
  ['x', 'expected a list in JSON'],
  ['[{"provider":"sim"}]', 'needs either admin_key or exports'],
  ['[{"provider":"sim","exports":"/x","tolerance_percent":"1%"}]', 'expected a number'],
])('the setting %s is refused', (text, message) => {
  expect(reconcileSetting.safeParse(text).error?.message).toContain(message);
});
