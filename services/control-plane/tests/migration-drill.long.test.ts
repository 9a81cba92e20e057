import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyMigrations, createPrismaClient } from '@model-gateway/database';
import { newRequestId, randomBase62 } from '@model-gateway/shared';
import { createEmptyDatabase } from '@model-gateway/test-kit/test-database';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsagePartitionStore } from '../src/partitions/usage-partition-store.ts';
import { LedgerStore } from '../src/pools/ledger-store.ts';
import { RollUpStore } from '../src/roll-ups/roll-up-store.ts';

/** How many records the release before has stored when the migrations begin. */
const STORED = Number(process.env.MIGRATION_RECORDS ?? 1_000_000);
const LANES = 4;
const BATCH = 50;
const COST = 1_000;
/** How many batches follow, per lane, when the migrations are done. */
const BATCHES_AFTER = 20;
const PRISMA = fileURLToPath(new URL('../../../prisma/', import.meta.url));

/** The release before wants all units that it knows. */
const UNITS = { cachedInputTokens: 0, images: 0, characters: 0, audioMs: 0, searchUnits: 0 };

/** A tenth of them is paid, each by a ledger entry of its own, as that release did. */
const FILL = `
  WITH given AS (
    SELECT n, 'req_' || substr(md5(n::text), 1, 24) AS request_id, now() - interval '20 days' * n / $1::float8 AS ended_at,
      CASE WHEN n % 10 = 0 THEN ${COST} ELSE 0 END AS cost
    FROM generate_series(1, $1::int) AS n
  ), stored AS (
    INSERT INTO usage_records (
      request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens, images,
      characters, audio_ms, search_units, billing_reason, held, cost, charged, uncollected, attempts, ended_at, settled_at
    )
    SELECT request_id, 'acct_test', 'key_' || n % 20, 'sim/chat', 'chat', 10, 0, 5, 0, 0, 0, 0, 'completed', 0, cost,
      cost, 0, '[{"providerId": "sim", "httpStatus": 200, "errorCode": null, "durationMs": 812}]', ended_at, ended_at
    FROM given
  ), entries AS (
    INSERT INTO ledger_entries (pool_id, kind, amount, request_id)
    SELECT 'pool_test', 'charge', -cost, request_id FROM given WHERE cost > 0
  )
  INSERT INTO usage_rollups (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, charged
  )
  SELECT 'acct_test', '', width, date_bin(make_interval(secs => width), ended_at, 'epoch'), 'key_' || n % 20, 'sim/chat',
    'chat', count(*), sum(10), 0, sum(5), 0, 0, 0, 0, sum(cost)
  FROM given, (VALUES (60), (3600), (86400)) AS widths (width) GROUP BY 3, 4, 5`;

/** The migrations that the release before has, in a folder of their own. */
async function migrationsBefore(): Promise<string> {
  const text = await readFile(join(PRISMA, 'previous-release.json'), 'utf8');
  const { lastMigration } = z.object({ lastMigration: z.string() }).parse(JSON.parse(text));
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-migrations-'));
  for (const name of await readdir(join(PRISMA, 'migrations'))) {
    if (name <= lastMigration) {
      await cp(join(PRISMA, 'migrations', name), join(folder, name), { recursive: true });
    }
  }
  return folder;
}

async function connect(url: string, stack: AsyncDisposableStack): Promise<Client> {
  const client = stack.adopt(new Client({ connectionString: url }), (each) => each.end());
  await client.connect();
  return client;
}

describe('an upgrade of a database with many records', () => {
  it(`(${STORED}) fails no call that settles meanwhile, and none is lost or charged twice`, async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.adopt(await migrationsBefore(), (path) => rm(path, { recursive: true }));
    const { url } = stack.use(await createEmptyDatabase());
    const client = await connect(url, stack);
    await applyMigrations(url, { folder });
    const money = 1_000_000_000_000;
    const charged = Math.floor(STORED / 10) * COST;
    await client.query(
      `INSERT INTO accounts (id, email, name) VALUES ('acct_test', 'drill@example.com', 'Drill')`,
    );
    await client.query(
      `INSERT INTO pools (id, name, account_id, included, remaining, charged) VALUES ('pool_test', 'Drill', 'acct_test', $1, $2, $3)`,
      [money, money - charged, charged],
    );
    await client.query(
      `INSERT INTO ledger_entries (pool_id, kind, amount) VALUES ('pool_test', 'included', $1)`,
      [money],
    );
    await client.query(FILL, [STORED]);
    await client.query('VACUUM ANALYZE');

    const settled: string[] = [];
    const failures: unknown[] = [];
    let longestMs = 0;
    let batchesLeft = Number.POSITIVE_INFINITY;
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      const each = await connect(url, stack);
      const query = (sql: string, values: unknown[]) => each.query(sql, values);
      while (batchesLeft > 0) {
        batchesLeft -= 1;
        const rows = Array.from({ length: BATCH }, (__, n) => {
          // Those of the release before are random; this one's data planes come when the schema is there.
          const requestId = batchesLeft < LANES * BATCHES_AFTER ? newRequestId() : `req_${randomBase62(24)}`;
          return usageRow({
            ...UNITS,
            requestId,
            keyId: `key_${lane}`,
            cost: String(n % 2 === 0 ? COST : 0),
          });
        });
        const start = performance.now();
        try {
          await settleRows(query, rows);
          // A report that comes twice, as after a lost answer, changes nothing.
          await settleRows(query, rows.slice(0, 2));
          settled.push(...rows.map(({ requestId }) => requestId));
        } catch (error) {
          failures.push(error);
        }
        longestMs = Math.max(longestMs, performance.now() - start);
      }
    });
    const startMs = performance.now();
    const times: string[] = [];
    let retries = 0;
    let lastMs = startMs;
    await applyMigrations(url, {
      onApplied: (name) => {
        const nowMs = performance.now();
        if (nowMs - lastMs > 100) times.push(`${name} ${Math.round(nowMs - lastMs)} ms`);
        lastMs = nowMs;
      },
      onRetry: () => {
        retries += 1;
      },
    });
    const tookMs = performance.now() - startMs;
    const during = settled.length;
    const prisma = stack.adopt(createPrismaClient(url), (each) => each.$disconnect());
    await new UsagePartitionStore(prisma).makeMissing();
    // As control planes do every minute: days from before there were sums of all keys get these.
    const rollUps = new RollUpStore(prisma);
    while (await rollUps.takeOverDay());
    batchesLeft = LANES * BATCHES_AFTER;
    await Promise.all(lanes);

    expect(failures).toEqual([]);
    expect(during).toBeGreaterThan(0);
    const { rows } = await client.query(
      `SELECT count(*)::int AS records, count(DISTINCT request_id)::int AS requests,
         count(*) FILTER (WHERE arrival <> '')::int > 0 AS "haveArrivals",
         count(*) FILTER (WHERE request_id = ANY($1))::int AS settled FROM usage_records`,
      [settled],
    );
    const all = STORED + settled.length;
    expect(rows).toEqual([{ records: all, requests: all, haveArrivals: true, settled: settled.length }]);
    const ledger = stack.use(await new LedgerStore(url).snapshot(AbortSignal.timeout(600_000)));
    for (const check of ledger.checks) expect(await check(10)).toEqual([]);
    process.stdout.write(
      `migration drill: ${STORED} records, ${Math.round(tookMs)} ms (${times.join(', ')}; ${retries} retries), ` +
        `${during} requests settled meanwhile, the longest call took ${Math.round(longestMs)} ms\n`,
    );
  });
});
