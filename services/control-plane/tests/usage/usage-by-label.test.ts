import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import { newRequestId } from '@model-gateway/shared';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400] as const;
const DAYS = 4;

const control = useControlPlanes();
/** Start of the first day, in Unix seconds. */
const START = Math.floor(Date.now() / 1_000 / DAY - DAYS + 1) * DAY;

type Row = ReturnType<typeof usageRow>;

interface Query {
  owner: { accountId: string };
  startTime: number;
  endTime: number;
  bucketWidth: number;
  groupBy?: string[];
  labels?: Asked['filters'];
  limit?: number;
  pageStart?: string;
  pageAfter?: string;
}

function getUsage(query: Query): Promise<GetUsageResponseMessage> {
  return at(control.callers, 0).call(CALL_DEADLINE_MS, 'billing', 'getUsage', { limit: 366, ...query });
}

const settle = (rows: readonly Row[], isProvisional = false) =>
  settleRows(control.query, rows, isProvisional);
const rollUp = () => control.query('SELECT roll_up_settlements(1000)');

function labelOf(row: Row, label: string): string | null {
  if (label === 'end_user') return row.endUser ?? null;
  if (label === 'session') return row.session ?? null;
  return row.tags?.[label.slice('tag:'.length)] ?? null;
}

interface Asked {
  start: number;
  end: number;
  width: number;
  groupBy: string[];
  filters: { label: string; values: string[] }[];
}

/** Sums the rows as the answer should have them: by bucket and group, requests, input tokens. */
function expected(
  rows: readonly Row[],
  { end, filters, groupBy, start, width }: Asked,
): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const row of rows) {
    const endedAt = Date.parse(row.endedAt) / 1_000;
    const isWanted = filters.every(({ label, values }) => values.includes(labelOf(row, label) ?? ''));
    if (endedAt < start || endedAt >= end || !isWanted) continue;
    const bucket = width === 0 ? start : Math.max(start, Math.floor(endedAt / width) * width);
    const group = groupBy.map((name) =>
      name === 'model' ? row.modelId : name === 'key' ? row.keyId : labelOf(row, name),
    );
    const key = JSON.stringify([bucket, ...group]);
    const [requests = 0, tokens = 0] = sums.get(key) ?? [];
    sums.set(key, [requests + 1, tokens + (row.inputTokens ?? 0)]);
  }
  return sums;
}

function received(answers: readonly GetUsageResponseMessage[], { groupBy }: Asked): Map<string, number[]> {
  return new Map(
    answers
      .flatMap(({ buckets }) => buckets)
      .flatMap(({ groups, startTime }) =>
        groups.map(({ key, labels, model, sums }): [string, number[]] => {
          const group = groupBy.map((name) =>
            name === 'model'
              ? model
              : name === 'key'
                ? key
                : (labels.find(({ label }) => label === name)?.value ?? null),
          );
          return [
            JSON.stringify([Number(startTime), ...group]),
            [Number(sums?.requests), Number(sums?.units?.inputTokens)],
          ];
        }),
      ),
  );
}

async function ask(accountId: string, { end, filters, groupBy, start, width }: Asked, limit?: number) {
  const query = {
    owner: { accountId },
    startTime: start,
    endTime: end,
    bucketWidth: width,
    groupBy,
    labels: filters,
    ...(limit === undefined ? {} : { limit }),
  };
  const answers = [await getUsage(query)];
  for (let page = answers[0]; page?.nextPageStart !== undefined; page = answers.at(-1)) {
    const place = {
      pageStart: page.nextPageStart,
      ...(page.nextPageAfter === undefined ? {} : { pageAfter: page.nextPageAfter }),
    };
    answers.push(await getUsage({ ...query, ...place }));
  }
  return answers;
}

async function expectEqualSums(rows: readonly Row[], asked: Asked) {
  const answers = await ask(rows[0]?.accountId ?? '', asked);
  expect(received(answers, asked)).toEqual(expected(rows, asked));
  const [total = [0, 0]] = [...expected(rows, { ...asked, width: 0, groupBy: [] }).values()];
  const totals = answers[0]?.totals;
  expect([Number(totals?.requests), Number(totals?.units?.inputTokens)]).toEqual(total);
}

const some = <const Value extends string>(...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined });
const label = fc.constantFrom('tag:project', 'tag:env', 'tag:a.b-c_d', 'end_user', 'session');

const changes = fc.record({
  age: fc.integer({ min: 0, max: DAYS * DAY - 1 }),
  project: some('alpha', 'beta', '(other)'),
  env: some('prod', 'it\'s "odd", {you} \\ know'),
  dotted: some('x'),
  endUser: some('anna', 'ben'),
  session: some('s1', 's2'),
  model: fc.constantFrom('sim/a', 'sim/b'),
  key: fc.constantFrom('key_a', 'key_b'),
  tokens: fc.integer({ min: 0, max: 1_000 }),
  /** How it is settled: at once, first provisionally, or with other labels in the final report. */
  way: fc.constantFrom('final', 'provisional', 'relabelled'),
});

const question = fc.record({
  start: fc.integer({ min: 0, max: DAYS * 24 * 60 - 2 }),
  minutes: fc.integer({ min: 1, max: DAYS * 24 * 60 }),
  width: fc.constantFrom(0, DAY, DAY, HOUR),
  byModel: fc.boolean(),
  byKey: fc.boolean(),
  labels: fc.uniqueArray(label, { maxLength: 2 }),
  filters: fc.uniqueArray(
    fc.record({
      label,
      values: fc.uniqueArray(fc.constantFrom('alpha', 'prod', 'x', 'anna', 's1', 's2', '(other)'), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
    { maxLength: 2, selector: (filter) => filter.label },
  ),
});

let accounts = 0;

function rowOf(
  accountId: string,
  given: typeof changes extends fc.Arbitrary<infer Value> ? Value : never,
): Row {
  const { age, dotted, endUser, env, key, model, project, session, tokens } = given;
  const tags: Record<string, string> = {
    ...(project === undefined ? {} : { project }),
    ...(env === undefined ? {} : { env }),
    ...(dotted === undefined ? {} : { 'a.b-c_d': dotted }),
  };
  const endedAtMs = Math.min(Date.now(), (START + age) * 1_000);
  return usageRow({
    requestId: newRequestId(endedAtMs),
    accountId,
    keyId: key,
    modelId: model,
    inputTokens: tokens,
    endedAt: new Date(endedAtMs).toISOString(),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    endUser,
    session,
  });
}

describe('sums by label', () => {
  it('equal those of the records, whatever is grouped, filtered and still to be summed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(changes, { minLength: 1, maxLength: 40 }),
        fc.array(question, { minLength: 6, maxLength: 6 }),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        async (given, questions, rollUps) => {
          const accountId = await insertAccount(control, `labels_${accounts++}`);
          const rows = given.map((one) => rowOf(accountId, one));
          const early = rows.filter((_, index) => given[index]?.way !== 'final');
          await settle(
            early.map((row, index) =>
              given[index]?.way === 'relabelled' ? { ...row, tags: { project: 'gamma' } } : row,
            ),
            true,
          );
          if (rollUps[0]) await rollUp();
          await settle(rows.slice(0, rows.length / 2));
          if (rollUps[1]) await rollUp();
          await settle(rows);
          if (rollUps[2]) await rollUp();
          for (const { byKey, byModel, filters, labels, minutes, start, width } of questions) {
            const from = START + start * MINUTE;
            await expectEqualSums(rows, {
              start: from,
              end: from + minutes * MINUTE,
              width,
              groupBy: [...(byModel ? ['model'] : []), ...(byKey ? ['key'] : []), ...labels],
              filters,
            });
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a label with more than 1,000 values on a day', () => {
  const VALUES = 1_100;
  const yesterday = START + (DAYS - 2) * DAY;
  const whole: Asked = {
    start: yesterday,
    end: yesterday + DAY,
    width: DAY,
    groupBy: ['tag:user'],
    filters: [],
  };
  let rows: Row[];

  beforeAll(async () => {
    const accountId = await insertAccount(control, 'many_values');
    const row = (index: number, more: UsageRowChanges = {}) =>
      usageRow({
        requestId: newRequestId((yesterday - HOUR) * 1_000),
        accountId,
        inputTokens: index,
        endedAt: new Date((yesterday + HOUR) * 1_000).toISOString(),
        tags: { user: `u${String(index).padStart(5, '0')}` },
        ...more,
      });
    rows = Array.from({ length: VALUES }, (_, index) => row(index));
    for (let first = 0; first < VALUES; first += 300) await settle(rows.slice(first, first + 300));
    // Values that are known already, and on another day.
    const again = [
      row(0),
      row(VALUES - 1),
      row(VALUES - 1, { endedAt: new Date((yesterday - HOUR) * 1_000).toISOString() }),
    ];
    await settle(again);
    rows.push(...again);
  });

  it('keeps the first 1,000 apart, and sums the rest as (other)', async () => {
    const groups = received(await ask(rows[0]?.accountId ?? '', whole), whole);
    expect(groups.size).toBe(1_001);
    const rest = expected(rows.slice(1_000), whole);
    rest.delete(JSON.stringify([yesterday, 'u00000']));
    const sums = [...rest.values()];
    expect(groups.get(JSON.stringify([yesterday, '(other)']))).toEqual([
      sums.reduce((sum, [requests = 0]) => sum + requests, 0),
      sums.reduce((sum, [, tokens = 0]) => sum + tokens, 0),
    ]);
    expect(groups.get(JSON.stringify([yesterday, 'u00000']))).toEqual([2, 0]);
  });

  it('has all values in sums that are read from records: by the hour, by key, and of one value', async () => {
    await expectEqualSums(rows, { ...whole, width: HOUR });
    await expectEqualSums(rows, { ...whole, groupBy: ['key', 'tag:user'] });
    for (const value of ['u00000', 'u00999', 'u01099', 'nobody']) {
      const filters = [{ label: 'tag:user', values: [value, 'u00001'] }];
      await expectEqualSums(rows, { ...whole, start: whole.start - DAY, groupBy: ['tag:user'], filters });
    }
  });

  it('is listed in pages', async () => {
    const asked = { ...whole, start: whole.start - DAY, width: HOUR, groupBy: ['model', 'tag:user'] };
    const answers = await ask(rows[0]?.accountId ?? '', asked);
    expect(received(answers, asked)).toEqual(expected(rows, asked));
  });
});

it('a tag by days reads back beyond the records, and by hours is refused', async () => {
  const old = { startTime: 0, endTime: DAY, groupBy: ['tag:project'], owner: { accountId: 'acct_test' } };
  expect((await getUsage({ ...old, bucketWidth: DAY })).buckets).toHaveLength(1);
  await expect(getUsage({ ...old, bucketWidth: HOUR })).rejects.toThrow(
    /tag:project in this form goes back to 20/,
  );
});

it.each([
  [{ groupBy: ['tag:Project'] }, /group_by takes/],
  [{ labels: [{ label: 'tag:', values: ['x'] }] }, /labels takes/],
  [{ labels: [{ label: 'session', values: [] }] }, /1 to 100 values of session/],
])('a query with %j is refused', async (query, message) => {
  const owner = { accountId: 'acct_test' };
  await expect(
    getUsage({ owner, startTime: START, endTime: START + DAY, bucketWidth: DAY, ...query }),
  ).rejects.toThrow(message);
});
