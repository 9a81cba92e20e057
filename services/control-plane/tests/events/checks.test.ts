import { randomUUID } from 'node:crypto';
import { createLogger } from '@model-gateway/service-kit';
import { newRequestId } from '@model-gateway/shared';
import { simulatedCatalog, until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { EventCheckStore } from '../../src/event-checks/event-check-store.ts';
import { EventChecks } from '../../src/event-checks/event-checks.ts';
import { LedgerMismatchStore } from '../../src/pools/ledger-mismatch-store.ts';
import { LedgerStore } from '../../src/pools/ledger-store.ts';
import { newPayer } from '../fixtures/allowances-fixture.ts';
import { at, unknownHash, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { checksOf, eventsFor, healthOf, subscribe } from '../fixtures/events-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const HOUR_MS = 3_600_000;
const control = useControlPlanes({ count: 2 });
const checks = checksOf(control);

beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});

describe('a key that expires', () => {
  const insert = async (inMs: number, more: Record<string, string | null> = {}) => {
    const id = `key_${randomUUID()}`;
    const { replaced_by = null, kind = 'issued' } = more;
    await control.sql`
      INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, expires_at, replaced_by, kind)
      VALUES (${id}, 'acct_test', 'Batch', ${unknownHash()}, 'gw_live_', ${new Date(Date.now() + inMs)}, ${replaced_by}, ${kind})`;
    return id;
  };

  it('is reported seven days before and one day before, once each', async () => {
    const endpoint = await subscribe(control, ['key.expiring'], 'acct_test');
    const inDays = async (days: number) => new Date(Date.now() + days * 24 * HOUR_MS);
    const key = await insert(8 * 24 * HOUR_MS);
    await insert(24 * HOUR_MS, { replaced_by: key });
    await insert(24 * HOUR_MS, { kind: 'playground' });
    await checks.keys();
    expect(await eventsFor(control, endpoint)).toEqual([]);
    const ids = async () => (await eventsFor(control, endpoint)).map(({ data }) => data.id);
    const expiry = await inDays(6);
    await control.sql`UPDATE api_keys SET expires_at = ${expiry} WHERE id = ${key}`;
    await checks.keys();
    expect(await ids()).toHaveLength(1);
    expect((await eventsFor(control, endpoint))[0]).toMatchObject({
      type: 'key.expiring',
      accountId: 'acct_test',
      data: { id: key, name: 'Batch', status: 'active', expires_at: expiry.toISOString() },
    });
    await checks.keys();
    expect(await ids()).toEqual([key]);
    // The last day begins.
    await control.sql`UPDATE reported_states SET period = ${await inDays(0.9)} WHERE kind = 'key' AND id = ${key}`;
    const [state] = await control.sql`SELECT period FROM reported_states WHERE kind = 'key' AND id = ${key}`;
    await control.sql`UPDATE api_keys SET expires_at = ${state?.period} WHERE id = ${key}`;
    await checks.keys();
    await checks.keys();
    expect(await ids()).toEqual([key, key]);
  });
});

describe('a provider', () => {
  it('is reported once when it goes down, and once when it has been up for two minutes', async () => {
    const endpoint = await subscribe(control, ['provider.down', 'provider.up']);
    const types = async () => (await eventsFor(control, endpoint)).map(({ type }) => type);
    const settlement = new Settlement(at(control.callers, 0));
    const failed = Array.from({ length: 5 }, () =>
      outcomeOf('sim/chat', { providerId: 'simulated', outcome: 'failed' }),
    );
    const [provider] = await control.sql`SELECT id FROM providers`;
    const named = failed.map((each) => ({
      ...each,
      attempts: each.attempts.map((attempt) => ({ ...attempt, providerId: String(provider?.id) })),
    }));
    await settlement.settle(named);
    await checks.providers();
    expect((await eventsFor(control, endpoint))[0]).toMatchObject({
      type: 'provider.down',
      accountId: null,
      data: { provider: provider?.id, status: 'major_outage', reason: 'failing' },
    });
    expect(String((await eventsFor(control, endpoint))[0]?.data.description)).toMatch(/^Failing since/);
    await control.sql`DELETE FROM model_minutes`;
    await settlement.settle([
      outcomeOf('sim/chat', { providerId: String(provider?.id) }),
      outcomeOf('sim/chat', { providerId: String(provider?.id) }),
    ]);
    const wellSince = async () => {
      const [state] = await control.sql`SELECT period FROM reported_states WHERE kind = 'provider'`;
      return state?.period;
    };
    await checks.providers();
    expect(await wellSince()).not.toBeNull();
    await checks.providers();
    expect(await types()).toEqual(['provider.down']);
    await control.sql`UPDATE reported_states SET period = now() - interval '3 minutes' WHERE kind = 'provider'`;
    await checks.providers();
    expect(await types()).toEqual(['provider.down', 'provider.up']);
    settlement.end();
  });
});

describe('a unit without a price', () => {
  it('is reported once per model, unit and day', async () => {
    const endpoint = await subscribe(control, ['model.unpriced_unit', 'request.settled']);
    const rows = [1, 2].map(() =>
      usageRow({
        requestId: newRequestId(),
        ...{ modelId: 'sim/chat-pro', priceVersion: 1, cacheWriteTokens: 5, inputTokens: 10 },
      }),
    );
    const unpriced = async () =>
      (await eventsFor(control, endpoint)).filter(({ type }) => type === 'model.unpriced_unit');
    const isSettled = async (id: string) =>
      (await eventsFor(control, endpoint)).some(
        ({ data, type }) => type === 'request.settled' && data.request_id === id,
      );
    for (const row of rows) {
      await settleRows(control.query, [row]);
      await until(() => isSettled(row.requestId));
    }
    expect(await unpriced()).toMatchObject([
      {
        accountId: null,
        data: { model: 'sim/chat-pro', unit: 'cache_write_tokens', request_id: rows[0]?.requestId },
      },
    ]);
  });
});

describe('a ledger that does not add up', () => {
  it('is reported once per finding, and again if it comes back', async () => {
    const endpoint = await subscribe(control, ['ledger.mismatch']);
    const { pool } = await newPayer(control, '5.00');
    const findings = async () => (await eventsFor(control, endpoint)).filter(({ data }) => data.id === pool);
    await poolsOf(control).verify();
    expect(await findings()).toEqual([]);
    await control.sql`UPDATE pools SET included = included - 1, remaining = remaining - 1 WHERE id = ${pool}`;
    await poolsOf(control).verify();
    await poolsOf(control).verify();
    expect(await findings()).toMatchObject([{ accountId: null, data: { kind: 'pool' } }]);
    await control.sql`UPDATE pools SET included = included + 1, remaining = remaining + 1 WHERE id = ${pool}`;
    await poolsOf(control).verify();
    await control.sql`UPDATE pools SET included = included - 1, remaining = remaining - 1 WHERE id = ${pool}`;
    await poolsOf(control).verify();
    expect(await findings()).toHaveLength(2);
    await control.sql`UPDATE pools SET included = included + 1, remaining = remaining + 1 WHERE id = ${pool}`;
  });

  it('is found without a call of verify-ledger', async () => {
    const endpoint = await subscribe(control, ['ledger.mismatch']);
    const { pool } = await newPayer(control, '5.00');
    await control.sql`UPDATE pools SET held = held + 1, remaining = remaining - 1 WHERE id = ${pool}`;
    await control.sql`UPDATE event_checks SET checked_at = now() - interval '1 hour' WHERE name = 'ledger'`;
    const { prisma, databaseUrl } = control;
    const own = new EventChecks({
      eventCheckStore: new EventCheckStore(prisma),
      ...healthOf(control),
      ledgerMismatchStore: new LedgerMismatchStore(prisma),
      ledgerStore: new LedgerStore(databaseUrl),
      log: createLogger({ service: 'test', level: 'silent' }),
      sendsMail: false,
    });
    own.start();
    await until(async () => (await eventsFor(control, endpoint)).some(({ data }) => data.id === pool));
    await own.close();
    await control.sql`UPDATE pools SET held = held - 1, remaining = remaining + 1 WHERE id = ${pool}`;
  });
});
