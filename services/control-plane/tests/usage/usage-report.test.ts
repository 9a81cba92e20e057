import { ReadingPool, type SettledRecord } from '@model-gateway/database';
import { newRequestId } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getUsageReport,
  type UsageReport,
  type UsageReportRequest,
} from '../../src/usage/get-usage-report.ts';
import { REPORT_GROUPINGS, type ReportRow, UsageReportStore } from '../../src/usage/usage-report-store.ts';
import { UsageStore } from '../../src/usage/usage-store.ts';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400] as const;
const DAYS = 4;
const WIDTHS = { '1m': MINUTE, '1h': HOUR, '1d': DAY };
const ACCOUNTS = ['acct_report_a', 'acct_report_b'];

const control = useControlPlanes();
/** Start of the first day, in Unix seconds. */
const START = Math.floor(Date.now() / 1_000 / DAY - DAYS + 1) * DAY;
let reads: ReadingPool;
/** A team of the first account, with a seat for the second. */
let team = '';
let seat = '';

beforeAll(async () => {
  reads = new ReadingPool(control.databaseUrl);
  await insertAccount(control, 'report_a');
  await insertAccount(control, 'report_b');
  const { addSeat, createTeam } = administer(control);
  ({ id: team } = await createTeam({ account: 'acct_report_a' }));
  ({ id: seat } = await addSeat(team, 'acct_report_b'));
});
afterAll(() => reads.close());

function report(request: UsageReportRequest): Promise<UsageReport> {
  const context = { usageReportStore: new UsageReportStore(reads), usageStore: new UsageStore(reads, 90) };
  return getUsageReport(context, request, new AbortController().signal);
}

async function allPages(request: UsageReportRequest): Promise<UsageReport[]> {
  const pages = [await report(request)];
  for (let page = pages[0]; page?.nextPage != null; page = pages.at(-1))
    pages.push(await report({ ...request, page: page.nextPage }));
  return pages;
}

const COLUMNS: Record<string, (row: SettledRecord) => string> = {
  payer: (row) => row.teamId ?? row.accountId,
  account: (row) => row.accountId,
  team: (row) => row.teamId ?? '',
  seat: (row) => row.seatId ?? '',
  key: (row) => row.keyId,
  model: (row) => row.modelId,
  capability: (row) => row.capability,
  'tag:project': (row) => row.tags?.project ?? '',
};

/** Computes the expected report from the rows: requests and input tokens by bucket and group. */
function expected(rows: readonly SettledRecord[], request: UsageReportRequest): Map<string, number[]> {
  const { bucketWidth, filter, groupBy, labels, period } = request;
  const { accounts, capabilities, keys, models, paidBy, payers, seat: onSeat, team: ofTeam } = filter;
  const width = bucketWidth === undefined ? 0 : WIDTHS[bucketWidth];
  const sums = new Map<string, number[]>();
  for (const row of rows) {
    const endedAt = Date.parse(row.endedAt) / 1_000;
    const payer = row.teamId ?? row.accountId;
    const isWanted =
      (accounts?.includes(row.accountId) ?? true) &&
      (capabilities?.includes(row.capability) ?? true) &&
      (keys?.includes(row.keyId) ?? true) &&
      (models?.includes(row.modelId) ?? true) &&
      (payers?.includes(payer) ?? true) &&
      (onSeat === undefined || row.seatId === onSeat) &&
      (ofTeam === undefined || row.teamId === ofTeam) &&
      (paidBy === undefined || (paidBy === ACCOUNTS[0] ? payer !== ACCOUNTS[1] : payer === paidBy)) &&
      filter.labels.every(({ values }) => values.includes(row.tags?.project ?? ''));
    if (!isWanted || endedAt < period.start || endedAt >= period.end) continue;
    const bucket = width === 0 ? period.start : Math.max(period.start, Math.floor(endedAt / width) * width);
    const key = JSON.stringify([bucket, ...[...groupBy, ...labels].map((name) => COLUMNS[name]?.(row))]);
    const [requests = 0, tokens = 0] = sums.get(key) ?? [];
    sums.set(key, [requests + 1, tokens + (row.inputTokens ?? 0)]);
  }
  return sums;
}

function received(pages: readonly UsageReport[], { groupBy }: UsageReportRequest): Map<string, number[]> {
  const valuesOf = (row: ReportRow) => [...groupBy.map((name) => row[name]), ...(row.labels ?? [])];
  return new Map(
    pages
      .flatMap(({ buckets }) => buckets)
      .flatMap(({ groups, start }) =>
        groups.map((row): [string, number[]] => [
          JSON.stringify([start, ...valuesOf(row)]),
          [Number(row.requests), Number(row.inputTokens)],
        ]),
      ),
  );
}

const rowChanges = fc.record({
  age: fc.integer({ min: 0, max: DAYS * DAY - 1 }),
  place: fc.constantFrom('a', 'b', 'seat'),
  model: fc.constantFrom('sim/a', 'sim/b'),
  capability: fc.constantFrom('chat', 'embeddings'),
  key: fc.constantFrom('key_a', 'key_b'),
  project: fc.option(fc.constantFrom('alpha', 'beta'), { nil: undefined }),
  tokens: fc.integer({ min: 0, max: 1_000 }),
});
type RowChanges = typeof rowChanges extends fc.Arbitrary<infer Value> ? Value : never;

function rowOf({ age, capability, key, model, place, project, tokens }: RowChanges): SettledRecord {
  const endedAtMs = Math.min(Date.now(), (START + age) * 1_000);
  return usageRow({
    requestId: newRequestId(endedAtMs),
    accountId: ACCOUNTS[place === 'a' ? 0 : 1] ?? '',
    ...(place === 'seat' ? { seatId: seat, teamId: team } : {}),
    keyId: `${key}_${place}`,
    modelId: `${model}-${capability}`,
    capability,
    inputTokens: tokens,
    endedAt: new Date(endedAtMs).toISOString(),
    ...(project === undefined ? {} : { tags: { project } }),
  });
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const some = (...values: string[]) => optional(fc.subarray(values, { minLength: 1 }));
const question = fc.record({
  start: fc.integer({ min: 0, max: DAYS * 24 * 60 - 2 }),
  minutes: fc.integer({ min: 1, max: DAYS * 24 * 60 }),
  bucketWidth: optional(fc.constantFrom('1d', '1h', '1d')),
  groupBy: fc.subarray([...REPORT_GROUPINGS]),
  isByTag: fc.boolean(),
  tag: some('alpha', 'beta'),
  accounts: some(...ACCOUNTS),
  paidBy: optional(fc.constantFrom(...ACCOUNTS)),
  payers: optional(fc.constantFrom(0, 1, 2)),
  keys: some('key_a_a', 'key_b_seat', 'key_none'),
  models: some('sim/a-chat', 'sim/b-embeddings'),
  capabilities: some('chat', 'embeddings'),
  only: optional(fc.constantFrom('team', 'seat')),
});

describe('a usage report', () => {
  it('equals the records for any grouping and filter, with and without sums', async () => {
    const rows: SettledRecord[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowChanges, { maxLength: 30 }),
        fc.array(question, { minLength: 6, maxLength: 6 }),
        fc.boolean(),
        async (given, questions, isRolledUp) => {
          const added = given.map(rowOf);
          rows.push(...added);
          if (added.length > 0) await settleRows(control.query, added);
          if (isRolledUp) await control.query('SELECT roll_up_settlements(1000)');
          for (const {
            bucketWidth,
            groupBy,
            isByTag,
            minutes,
            only,
            payers,
            start,
            tag,
            ...filters
          } of questions) {
            const from = START + start * MINUTE;
            const isLabelled = isByTag || tag !== undefined;
            const request: UsageReportRequest = {
              filter: {
                ...filters,
                // Labels need an account or a team.
                accounts: isLabelled ? (filters.accounts ?? ACCOUNTS) : filters.accounts,
                ...(payers === undefined ? {} : { payers: [[...ACCOUNTS, team][payers] ?? ''] }),
                ...(only === undefined ? {} : { [only]: only === 'team' ? team : seat }),
                labels: tag === undefined ? [] : [{ label: 'tag:project', values: tag }],
              },
              period: { start: from, end: from + minutes * MINUTE },
              bucketWidth,
              groupBy,
              labels: isByTag ? ['tag:project'] : [],
              limit: 7,
              page: undefined,
            };
            const pages = await allPages(request);
            expect(received(pages, request)).toEqual(expected(rows, request));
            const whole = { ...request, bucketWidth: undefined, groupBy: [], labels: [] };
            const [total = [0, 0]] = expected(rows, whole).values();
            const totals = pages[0]?.totals;
            expect([Number(totals?.requests), Number(totals?.inputTokens)]).toEqual(total);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('continues a bucket with more groups than a page holds', async () => {
    const endedAtMs = (START + HOUR) * 1_000;
    const accountId = await insertAccount(control, 'many_keys');
    const rows = Array.from({ length: 2_300 }, (_, index) =>
      usageRow({
        requestId: newRequestId(endedAtMs),
        accountId,
        keyId: `key_${index}`,
        inputTokens: index,
        endedAt: new Date(endedAtMs).toISOString(),
      }),
    );
    for (let first = 0; first < rows.length; first += 300)
      await settleRows(control.query, rows.slice(first, first + 300));
    const request: UsageReportRequest = {
      filter: { accounts: [accountId], labels: [] },
      period: { start: START, end: START + 2 * DAY },
      bucketWidth: '1d',
      groupBy: ['key'],
      labels: [],
      limit: 31,
      page: undefined,
    };
    const pages = await allPages(request);
    expect(pages.map(({ buckets }) => buckets.map(({ groups }) => groups.length))).toEqual([
      [2_000],
      [300, 0],
    ]);
    expect(received(pages, request)).toEqual(expected(rows, request));
  });
});
