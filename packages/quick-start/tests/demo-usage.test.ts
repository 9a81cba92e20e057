import { GrpcStatus } from '@model-gateway/contracts';
import { simulatedCatalog, TEST_SECRETS } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  insertAccount,
  refusalOf,
} from '../../../services/control-plane/tests/fixtures/administration-fixture.ts';
import {
  at,
  type ControlPlanes,
  startControlPlanes,
} from '../../../services/control-plane/tests/fixtures/control-planes-fixture.ts';
import {
  checksOf,
  eventsFor,
  subscribe,
} from '../../../services/control-plane/tests/fixtures/events-fixture.ts';
import {
  applyCatalog,
  holderUsageOf,
} from '../../../services/control-plane/tests/fixtures/holder-usage-fixture.ts';
import { manage } from '../../../services/control-plane/tests/fixtures/management-fixture.ts';
import { hold, poolsOf, settle } from '../../../services/control-plane/tests/fixtures/pools-fixture.ts';
import { addDemoUsage } from '../src/demo-usage/add-demo-usage.ts';

const USD = 1_000_000_000;

const SIMULATED = 'http://127.0.0.1:9';

let control: ControlPlanes;
beforeAll(async () => {
  control = await startControlPlanes();
  await applyCatalog(control, simulatedCatalog(SIMULATED));
});
afterAll(() => control[Symbol.asyncDispose]());

/** @returns the number of requests that the account got */
function addTo({ admins, databaseUrl }: ControlPlanes, account: string): Promise<number> {
  const pepper = TEST_SECRETS.API_KEY_LOOKUP_PEPPER;
  return addDemoUsage({ client: at(admins, 0), databaseUrl, pepper, simulatedBaseUrl: SIMULATED }, account);
}

describe('demo usage', () => {
  it('leaves other money as it is and a ledger that adds up', async () => {
    const pools = poolsOf(control);
    const { id } = await pools.add({ kind: 'account', id: 'acct_test' }, { includedUsd: '5.00' });
    await hold(control, 'allowance_test', USD);
    await settle(control, [{ requestId: 'req_own', cost: USD / 2, allowanceId: 'allowance_test' }]);
    const before = (await pools.list({ kind: 'account', id: 'acct_test' })).find((pool) => pool.id === id);
    const holder = holderUsageOf(control, 'acct_test');
    const startedAtMs = performance.now();
    const requests = await addTo(control, 'acct_test');
    const tookMs = performance.now() - startedAtMs;
    console.info(`${requests} requests of demo usage in ${Math.round(tookMs)} ms`);
    expect(requests).toBeGreaterThan(2_300);

    const after = await pools.list({ kind: 'account', id: 'acct_test' });
    expect(after.find((pool) => pool.id === id)).toEqual(before);
    const demo = after.find((pool) => pool.id !== id);
    expect(demo).toMatchObject({
      name: 'Demo data: already used',
      remaining: '0',
      held: '0',
      charged: demo?.included,
    });
    expect(demo?.resetsAt).toBeUndefined();
    expect((await pools.verify()).disagreements).toEqual([]);
    const usage = await holder.usage();
    expect(usage.totals?.requests).toBe(String(requests + 1));
    expect(BigInt(usage.totals?.cost ?? 0)).toBe(BigInt(demo?.included ?? 0) + BigInt(USD / 2));
    for (const ago of [0, 1]) {
      const now = new Date();
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago))
        .toISOString()
        .slice(0, 7);
      const statement = await control.admin('pools', 'getStatement', { account: 'acct_test', month });
      expect(statement).toMatchObject({ month, otherMonth: '0' });
    }
    const uncollected = await control.query('SELECT sum(uncollected) FROM usage_records');
    expect(uncollected).toEqual([{ sum: '0' }]);
  });

  it("needs nobody's attention, although its pool is used up", async () => {
    const account = await insertAccount(control, 'calm');
    const endpoint = await subscribe(control, ['pool.threshold_reached']);
    await addTo(control, account);
    await checksOf(control).thresholds();
    expect(await eventsFor(control, endpoint)).toEqual([]);
    const { body } = await manage(control).get('/admin/v1/attention');
    expect(body).toMatchObject({ data: [] });
  });

  it('has receipts that add up, paid from the pool that says so', async () => {
    const account = await insertAccount(control, 'receipts');
    const holder = holderUsageOf(control, account);
    await addTo(control, account);
    const { requests } = await holder.requests({ limit: 1_000 });
    const paid = requests.find(({ cost }) => cost !== '0');
    const { receipt } = await holder.receipt(paid?.requestId ?? '');
    expect(receipt?.debits).toEqual([
      { poolId: expect.any(String), name: 'Demo data: already used', scope: 'account', amount: paid?.cost },
    ]);
    expect(receipt).toMatchObject({
      charged: paid?.cost,
      cost: paid?.cost,
      uncollected: '0',
      priceVersion: 1,
    });
    const failed = requests.find(({ billingReason }) => billingReason === 'upstream_failed_free');
    expect(failed).toMatchObject({ cost: '0', errorCode: expect.stringMatching(/^upstream_/) });
    expect(failed?.usageSource).toBeUndefined();
    const streamed = requests.filter(({ timeToFirstTokenMs }) => timeToFirstTokenMs !== undefined);
    expect(streamed.length).toBeGreaterThan(100);
    for (const { latencyMs, timeToFirstTokenMs } of streamed) {
      expect(timeToFirstTokenMs).toBeLessThanOrEqual(latencyMs);
    }
    expect(Number(requests[0]?.endedAtMs)).toBeLessThan(Date.now() - 60_000);
  });

  it('comes once for an account, on three keys that say so, however often and at once it is asked for', async () => {
    const account = await insertAccount(control, 'once');
    const holder = holderUsageOf(control, account);
    const counts = await Promise.all([addTo(control, account), addTo(control, account)]);
    counts.sort((left, right) => left - right);
    expect(counts[0]).toBe(0);
    expect(await addTo(control, account)).toBe(0);
    expect((await holder.usage()).totals?.requests).toBe(String(counts[1]));
    const keys = await control.query('SELECT name, kind FROM api_keys WHERE account_id = $1 ORDER BY name', [
      account,
    ]);
    expect(keys).toEqual(
      ['nightly job', 'prototype', 'web app'].map((name) => ({ name: `${name} (made up)`, kind: 'demo' })),
    );
  });

  it('of an account that is not there is refused', async () => {
    expect(await refusalOf(addTo(control, 'acct_nobody'))).toBe(GrpcStatus.NOT_FOUND);
  });

  it('waits until the catalog has models', async () => {
    await using empty = await startControlPlanes();
    expect(await addTo(empty, 'acct_test')).toBe(0);
    expect(await empty.query('SELECT id FROM api_keys')).toEqual([]);
    await applyCatalog(empty, simulatedCatalog('http://127.0.0.1:9'));
    expect(await addTo(empty, 'acct_test')).toBeGreaterThan(0);
  });

  it('of models that cost nothing needs no pool', async () => {
    await using free = await startControlPlanes();
    const { providers, models } = simulatedCatalog('http://127.0.0.1:9');
    await applyCatalog(free, { providers, models: models.filter(({ tier }) => tier === 'free') });
    expect(await addTo(free, 'acct_test')).toBeGreaterThan(0);
    expect(await poolsOf(free).list({ kind: 'account', id: 'acct_test' })).toEqual([]);
    expect((await poolsOf(free).verify()).disagreements).toEqual([]);
  });
});
