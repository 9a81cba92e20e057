import {
  type ControlPlaneClient,
  type GetUsageResponseMessage,
  GrpcStatus,
  grpcStatus,
} from '@model-gateway/contracts';
import { heldDuring, lockTable, runningQueries } from '@model-gateway/test-kit/bounded-reads';
import { until } from '@model-gateway/test-kit/until';
import { beforeAll, expect, test } from 'vitest';
import { DAY_START, fillRollups } from '../fixtures/bounded-reads-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const MINUTES = 480;
const MORNING = 240;
const ALL = { keys: 25, models: 10 };
const MAX_ROWS = 2_000;

const control = useControlPlanes();
let caller: ControlPlaneClient;
beforeAll(async () => {
  caller = at(control.callers, 0);
  await fillRollups(control, 'acct_test', { minutes: MINUTES, ...ALL });
  await control.sql`INSERT INTO accounts (id, email, name) VALUES ('acct_wide', 'wide@example.com', 'Wide')`;
  await fillRollups(control, 'acct_wide', { minutes: 3, keys: 1_700, models: 2 });
});

interface Place {
  pageStart?: string;
  pageAfter?: string;
}

function ask(place: Place = {}, changes: Record<string, unknown> = {}): Promise<GetUsageResponseMessage> {
  const request = {
    owner: { accountId: 'acct_test' },
    startTime: DAY_START,
    endTime: DAY_START + MINUTES * 60,
    bucketWidth: 60,
    groupBy: ['model', 'key'],
    limit: MINUTES,
    ...changes,
  };
  return caller.call(CALL_DEADLINE_MS, 'billing', 'getUsage', { ...request, ...place });
}

async function* pages(changes: Record<string, unknown> = {}): AsyncGenerator<GetUsageResponseMessage> {
  let place: Place | undefined = {};
  while (place !== undefined) {
    const page = await ask(place, changes);
    yield page;
    const { nextPageStart, nextPageAfter } = page;
    place =
      nextPageStart === undefined
        ? undefined
        : { pageStart: nextPageStart, ...(nextPageAfter === undefined ? {} : { pageAfter: nextPageAfter }) };
  }
}

const rowsOf = ({ buckets }: GetUsageResponseMessage) => buckets.flatMap(({ groups }) => groups);

test('a page of 120,000 rows holds at most 2,000 and costs no more than that', async () => {
  await ask();
  const { value, heldMiB } = await heldDuring(() => ask());
  console.info(`a page: ${rowsOf(value).length} rows, +${heldMiB.toFixed(1)} MiB held`);
  expect(rowsOf(value).length).toBeLessThanOrEqual(MAX_ROWS);
  expect(value.nextPageStart).toBeDefined();
  expect(heldMiB).toBeLessThan(32);
  expect(value.totals).toMatchObject({ requests: String(MINUTES * ALL.keys * ALL.models) });
});

test('the pages of a morning follow each other without a gap, whole buckets at a time', async () => {
  const starts: string[] = [];
  let rows = 0;
  let requests = 0n;
  const morning = { endTime: DAY_START + MORNING * 60 };
  for await (const page of pages(morning)) {
    expect(rowsOf(page).length).toBeLessThanOrEqual(MAX_ROWS);
    starts.push(...page.buckets.map(({ startTime }) => startTime));
    for (const { groups } of page.buckets) expect(groups).toHaveLength(ALL.keys * ALL.models);
    rows += rowsOf(page).length;
    for (const { sums } of rowsOf(page)) requests += BigInt(sums?.requests ?? 0);
    expect(page.totals?.requests).toBe(String(MORNING * ALL.keys * ALL.models));
  }
  expect(starts).toEqual(Array.from({ length: MORNING }, (_, index) => String(DAY_START + 60 * index)));
  expect(rows).toBe(MORNING * ALL.keys * ALL.models);
  expect(requests).toBe(BigInt(rows));
});

test('a bucket with more rows than a page continues on the next one', async () => {
  // Within an hour, so the hour's bucket comes from minutes.
  for (const width of [60, 3_600]) {
    const wide = {
      owner: { accountId: 'acct_wide' },
      startTime: DAY_START,
      endTime: DAY_START + 120,
      bucketWidth: width,
      limit: 24,
    };
    const seen = new Map<string, number>();
    for await (const page of pages(wide)) {
      expect(rowsOf(page).length).toBeLessThanOrEqual(MAX_ROWS);
      for (const { startTime, groups } of page.buckets) {
        for (const { model, key, sums } of groups) {
          const name = `${startTime} ${model} ${key}`;
          expect(seen.has(name)).toBe(false);
          seen.set(name, Number(sums?.requests));
        }
      }
    }
    expect([...seen.values()].reduce((sum, each) => sum + each, 0)).toBe(2 * 1_700 * 2);
    expect(seen.size).toBe(1_700 * 2 * (width === 60 ? 2 : 1));
  }
});

test.each([
  'no place',
  Buffer.from('["a"]').toString('base64url'),
  Buffer.from('[1, 2]').toString('base64url'),
])('the group token %j of a usage page is refused', async (pageAfter) => {
  const failure = await ask({ pageStart: String(DAY_START), pageAfter }).catch((error: unknown) => error);
  expect(grpcStatus(failure)).toBe(GrpcStatus.INVALID_ARGUMENT);
});

test('a whole period lists its most expensive groups first', async () => {
  const whole = await ask({}, { bucketWidth: 0, groupBy: ['model'], limit: 3 });
  expect(whole.buckets).toHaveLength(1);
  expect(rowsOf(whole)).toHaveLength(3);
  expect(whole.nextPageStart).toBeUndefined();
  const costs = rowsOf(whole).map(({ sums }) => Number(sums?.cost));
  expect(costs).toEqual([...costs].sort((left, right) => right - left));
});

test('a usage query is cancelled in Postgres when its caller gives up', async () => {
  // Keeps the query from ending by itself.
  await using _lock = await lockTable(control, 'usage_rollups');
  const { stubs, metadata } = caller;
  const call = stubs.billing.getUsage(
    {
      owner: { accountId: 'acct_test' },
      startTime: DAY_START,
      endTime: DAY_START + 60,
      bucketWidth: 60,
      limit: 1,
    },
    metadata,
    () => undefined,
  );
  await until(async () => (await runningQueries(control, 'usage_rollups')).length === 1);
  call.cancel();
  await until(async () => (await runningQueries(control, 'usage_rollups')).length === 0);
  expect(control.logText()).not.toContain('unexpected failure');
});
