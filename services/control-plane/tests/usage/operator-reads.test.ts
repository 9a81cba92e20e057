import {
  type GetTotalUsageResponseMessage,
  GrpcStatus,
  type ListReceiptsResponseMessage,
} from '@model-gateway/contracts';
import { beforeAll, expect, it } from 'vitest';
import { accountsStatement } from '../../src/accounts/account-list-store.ts';
import { parseReceiptListQuery } from '../../src/usage/receipt-list-query.ts';
import { type ReceiptOwner, summariesStatement } from '../../src/usage/receipt-list-store.ts';
import { parseTotalUsageQuery } from '../../src/usage/total-usage-query.ts';
import { totalsStatement } from '../../src/usage/total-usage-store.ts';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { DAY_START, fillRollups } from '../fixtures/bounded-reads-fixture.ts';
import { startControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { hasFound, planOf } from '../fixtures/query-plan-fixture.ts';

const ROWS = 60_000;
/** Scan limit per answer; half of these requests belong to one account. */
const MAX_SCANNED = 10_000;
const RARE = 'sim/rare';

const control = useControlPlanes();
beforeAll(async () => {
  for (const name of ['plan_0', 'plan_1']) await insertAccount(control, name);
  await control.query(
    `INSERT INTO usage_records (
       request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens, images,
       characters, audio_ms, search_units, usage_source, billing_reason, held, cost, charged, uncollected, attempts,
       ended_at, settlement
     )
     SELECT 'req_plan_' || lpad(i::text, 6, '0'), 'acct_plan_' || i % 2, 'key_plan_' || i % 2,
       CASE WHEN i >= ${ROWS} - 4 THEN '${RARE}' ELSE 'sim/chat' END, 'chat', 10, 0, 20, 0, 0, 0, 0, 'provider',
       'completed', 0, 0, 0, 0, '[]', now() - i * interval '20 seconds', 1
     FROM generate_series(1, ${ROWS}) AS i`,
  );
  await fillRollups(control, 'acct_plan_0', { minutes: 600, keys: 3, models: 4 });
  await fillRollups(control, 'acct_plan_1', { minutes: 60, keys: 2, models: 1 });
  await control.query('VACUUM ANALYZE usage_records, usage_rollups, usage_days');
});

function listReceipts(request: Record<string, unknown>): Promise<ListReceiptsResponseMessage> {
  return control.admin('billing', 'listReceipts', { limit: 50, ...request });
}

function totalUsage(request: Record<string, unknown>): Promise<GetTotalUsageResponseMessage> {
  const day = { startTime: DAY_START, endTime: DAY_START + 86_400 };
  return control.admin('billing', 'getTotalUsage', {
    ...day,
    groupBy: 'account',
    limit: 50,
    ...request,
  });
}

const account = { accountId: 'acct_plan_0', keyId: undefined };
const key = { accountId: undefined, keyId: 'key_plan_0' };
const all = { accountId: undefined, keyId: undefined };

const OWN = /^usage_records_\w+_(account|key)_id_ended_at_idx$/;
const ALL = /^usage_records_\w+_ended_idx$/;

it.each<[string, ReceiptOwner, Record<string, string>, read: number]>([
  ['the newest of an account', account, {}, 51],
  ['the newest of a key', key, {}, 51],
  ['those of a key and its account', { ...account, keyId: 'key_plan_0' }, {}, 51],
  ['those with a status that most have', account, { status: '200' }, 51],
  ['those to a model with few requests', account, { modelId: RARE }, MAX_SCANNED],
  ['those with a status that none has', key, { status: '5xx' }, MAX_SCANNED],
  ['the newest of all', all, {}, 51],
  ['those of all to a provider that none asked', all, { providerId: 'nobody' }, MAX_SCANNED],
])(
  "operators' lists of requests %s are read along an index, within the scan limit",
  async (_, owner, asked, read) => {
    const query = parseReceiptListQuery({ limit: 50, labels: [], ...asked });
    const nodes = await planOf(control, summariesStatement(owner, query));
    const scans = nodes.filter(hasFound);
    expect(scans).not.toHaveLength(0);
    let found = 0;
    for (const scan of scans) {
      expect(scan['Index Name']).toMatch(owner === all ? ALL : OWN);
      found += scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0);
    }
    // Rows of the same millisecond are sorted, so a few more are read.
    expect(found).toBeLessThanOrEqual(read + 100);
  },
);

it("operators' lists continue after the scan limit until everything is found once", async () => {
  const found: string[] = [];
  let answers = 0;
  let pageToken: string | undefined;
  do {
    const answer: ListReceiptsResponseMessage = await listReceipts({
      account: 'acct_plan_0',
      modelId: RARE,
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    found.push(...answer.receipts.map(({ requestId }) => requestId));
    pageToken = answer.nextPageToken;
    answers += 1;
  } while (pageToken !== undefined);
  expect(found).toEqual([59_996, 59_998, 60_000].map((i) => `req_plan_0${i}`));
  expect(answers).toBe(4);
});

it('an invalid receipt query is refused', async () => {
  for (const asked of [
    { account: 'acct_test', limit: 0 },
    { account: 'acct_test', limit: 1_001 },
    { account: 'acct_test', pageToken: 'x' },
    { account: 'acct_test', startMs: 5, endMs: 5 },
    { account: 'acct_test', status: 'broken' },
    { account: 'acct_test', after: 'req_nothing' },
  ]) {
    await expectRefusal(listReceipts(asked), GrpcStatus.INVALID_ARGUMENT);
  }
  for (const asked of [{ account: 'acct_nobody' }, { keyId: 'key_nothing' }]) {
    await expectRefusal(listReceipts(asked), GrpcStatus.NOT_FOUND);
  }
});

it('total usage is summed from the fewest roll-ups, along their index', async () => {
  // Minutes, so that a read without the index would be a hundred times as large.
  const asked = {
    startTime: String(DAY_START),
    endTime: String(DAY_START + 3_600),
    groupBy: 'key',
    labels: [],
    limit: 50,
  };
  const nodes = await planOf(
    control,
    totalsStatement({ accountId: undefined, teamId: undefined }, parseTotalUsageQuery(asked, 0)),
  );
  const scans = nodes.filter((node) => node['Relation Name'] === 'usage_rollups');
  // Second: minutes missing in hours.
  expect(scans.map((scan) => scan['Actual Rows'])).toEqual([3 * 4 + 2, 0]);
  const reads = nodes.filter((node) => node['Index Name'] !== undefined);
  expect(reads.map((node) => node['Index Name'])).toContain('usage_rollups_width_bucket_idx');
});

it('total usage agrees with the usage of each account', async () => {
  const { totals, groups } = await totalUsage({});
  expect(groups.map(({ id, sums }) => [id, sums?.requests])).toEqual([
    ['acct_plan_0', String(600 * 12)],
    ['acct_plan_1', String(60 * 2)],
  ]);
  expect(totals?.requests).toBe(String(600 * 12 + 60 * 2));
  expect((await totalUsage({ account: 'acct_plan_1' })).totals?.requests).toBe('120');
});

it('total usage pages through groups of equal cost without losing one', async () => {
  const whole = await totalUsage({ groupBy: 'key', account: 'acct_plan_0' });
  const paged: string[] = [];
  let pageToken: string | undefined;
  do {
    const answer: GetTotalUsageResponseMessage = await totalUsage({
      ...{ groupBy: 'key', account: 'acct_plan_0', limit: 1 },
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    paged.push(...answer.groups.map(({ id }) => id));
    pageToken = answer.nextPageToken;
  } while (pageToken !== undefined);
  expect(paged).toEqual(whole.groups.map(({ id }) => id));
  expect(new Set(whole.groups.map(({ sums }) => sums?.cost)).size).toBe(1);
});

it('an invalid total usage query is refused', async () => {
  for (const asked of [
    { groupBy: 'day' },
    { limit: 0 },
    { limit: 1_001 },
    { startTime: 5, endTime: 5 },
    { pageToken: 'x' },
  ]) {
    await expectRefusal(totalUsage(asked), GrpcStatus.INVALID_ARGUMENT);
  }
});

it('a search among accounts scans a bounded number', async () => {
  await using other = await startControlPlanes();
  await other.query(
    `INSERT INTO accounts (id, email, name, created_at)
     SELECT 'acct_many' || i, 'many' || i || '@example.com', '', now() + i * interval '1 ms'
     FROM generate_series(1, 30000) AS i`,
  );
  await other.query('VACUUM ANALYZE accounts');
  const nodes = await planOf(other, accountsStatement({ search: 'nobody', limit: 50, after: undefined }));
  const scans = nodes.filter((node) => node['Relation Name'] === 'accounts');
  expect(scans.map((scan) => scan['Index Name'])).toEqual(['accounts_created_at_id_idx']);
  expect(scans[0]?.['Actual Rows']).toBe(MAX_SCANNED);
});

it('a revocation does not name a data plane that ended too long ago to act on the key', async () => {
  const { id } = await administer(control).createKey({ account: 'acct_test' });
  await control.sql`INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until) VALUES
       ('lately', 'cp', 0, now() - interval '20 seconds'), ('long-ago', 'cp', 0, now() - interval '40 seconds')`;
  const { unconfirmedInstances } = await control.admin('accounts', 'revokeKey', { keyId: id });
  expect(unconfirmedInstances).toEqual(['lately']);
});
