import { newRequestId } from '@model-gateway/shared';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const DAY = 86_400;
const control = useControlPlanes();
const api = manage(control);
/** Start of yesterday, in Unix seconds. */
const YESTERDAY = (Math.floor(Date.now() / 1_000 / DAY) - 1) * DAY;
let payer = '';
let member = '';
let team = '';
let all: OpenAI;
let bound: OpenAI;

function client(adminAPIKey: string): OpenAI {
  return new OpenAI({ adminAPIKey, baseURL: api.url('/v1'), maxRetries: 0 });
}

beforeAll(async () => {
  payer = await insertAccount(control, 'payer');
  member = await insertAccount(control, 'member');
  const { addSeat, createTeam } = administer(control);
  ({ id: team } = await createTeam({ account: payer }));
  const { id: seat } = await addSeat(team, member);
  await poolsOf(control).add({ kind: 'account', id: payer }, { includedUsd: '9.00' });
  await poolsOf(control).add({ kind: 'team', id: team }, { includedUsd: '9.00' });
  await poolsOf(control).add({ kind: 'account', id: member }, { includedUsd: '9.00' });
  all = client((await api.insertKey()).key);
  bound = client((await api.insertKey({ accountId: payer })).key);
  const row = (hour: number, changes: UsageRowChanges) => {
    const endedAtMs = (YESTERDAY + hour * 3_600) * 1_000;
    return usageRow({
      requestId: newRequestId(endedAtMs),
      endedAt: new Date(endedAtMs).toISOString(),
      accountId: payer,
      keyId: 'key_a',
      modelId: 'sim/chat-pro',
      ...changes,
    });
  };
  await settleRows(control.query, [
    row(1, {
      inputTokens: 100,
      cachedInputTokens: 40,
      audioInputTokens: 5,
      outputTokens: 7,
      cost: '250000000',
    }),
    row(1, { inputTokens: 10, outputTokens: 1, keyId: 'key_b', cost: '1' }),
    row(2, { inputTokens: 3, modelId: 'sim/other', cost: '500000000' }),
    row(3, {
      accountId: member,
      seatId: seat,
      teamId: team,
      inputTokens: 20,
      cost: '125000000',
      keyId: 'key_c',
    }),
    row(4, { accountId: member, inputTokens: 1_000, cost: '1000000000', keyId: 'key_d' }),
    row(5, { capability: 'embeddings', modelId: 'sim/embed', inputTokens: 50, outputTokens: 0 }),
    row(2, { capability: 'completions', modelId: 'sim/text', inputTokens: 9, outputTokens: 0 }),
    row(5, { capability: 'moderation', modelId: 'sim/guard', inputTokens: 8, outputTokens: 0 }),
    row(5, { capability: 'images', modelId: 'sim/image', images: 2, inputTokens: 0, outputTokens: 0 }),
    row(5, { capability: 'speech', modelId: 'sim/voice', characters: 11, inputTokens: 0, outputTokens: 0 }),
    row(5, {
      capability: 'transcription',
      modelId: 'sim/ear',
      audioMs: 61_400,
      inputTokens: 0,
      outputTokens: 0,
    }),
  ]);
});

const usage = () => bound.admin.organization.usage;
const PERIOD = { start_time: YESTERDAY, end_time: YESTERDAY + DAY };
const resultsOf = (page: { data: { results: unknown[] }[] }) => page.data.flatMap(({ results }) => results);

describe("OpenAI's SDK", () => {
  it('sums up completions in buckets, with every count', async () => {
    const page = await usage().completions({
      ...PERIOD,
      bucket_width: '1h',
      group_by: ['model', 'api_key_id'],
    });
    expect(page).toMatchObject({ object: 'page', has_more: false, next_page: null });
    expect(page.data).toHaveLength(24);
    expect(page.data[1]).toEqual({
      object: 'bucket',
      start_time: YESTERDAY + 3_600,
      end_time: YESTERDAY + 7_200,
      results: [
        {
          object: 'organization.usage.completions.result',
          num_model_requests: 1,
          input_tokens: 100,
          output_tokens: 7,
          input_cached_tokens: 40,
          input_cache_write_tokens: 0,
          input_uncached_tokens: 60,
          input_text_tokens: 55,
          input_audio_tokens: 5,
          input_image_tokens: 0,
          output_text_tokens: 7,
          output_audio_tokens: 0,
          output_image_tokens: 0,
          project_id: null,
          user_id: null,
          api_key_id: 'key_a',
          model: 'sim/chat-pro',
          batch: null,
          service_tier: null,
          api_source: null,
        },
        expect.objectContaining({ api_key_id: 'key_b', input_tokens: 10 }),
      ],
    });
  });

  it('follows next_page through all buckets', async () => {
    const inputs: number[] = [];
    let page: string | undefined;
    do {
      const answer = await usage().completions({
        ...PERIOD,
        bucket_width: '1h',
        limit: 5,
        ...(page === undefined ? {} : { page }),
      });
      expect(answer.data.length).toBeLessThanOrEqual(5);
      for (const result of resultsOf(answer)) inputs.push((result as { input_tokens: number }).input_tokens);
      page = answer.next_page ?? undefined;
    } while (page !== undefined);
    expect(inputs).toEqual([110, 12, 20]);
  });

  it('splits by project (who pays) and by user (whose key it was)', async () => {
    const page = await all.admin.organization.usage.completions({
      ...PERIOD,
      group_by: ['project_id', 'user_id'],
    });
    const sums = resultsOf(page).map((result) => {
      const { input_tokens, project_id, user_id } = result as Record<string, unknown>;
      return [project_id, user_id, input_tokens];
    });
    expect(sums.sort()).toEqual(
      [
        [member, member, 1_000],
        [payer, payer, 122],
        [team, member, 20],
      ].sort(),
    );
  });

  it.each([
    [{ project_ids: () => [team] }, 20],
    [{ user_ids: () => [member] }, 1_020],
    [{ api_key_ids: () => ['key_b', 'key_c'] }, 30],
    [{ models: () => ['sim/other'] }, 3],
    [{ batch: () => true }, undefined],
  ])('filters by %o', async (filter, expected) => {
    const given = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value()]));
    const page = await all.admin.organization.usage.completions({ ...PERIOD, ...given });
    expect(resultsOf(page)).toEqual(
      expected === undefined ? [] : [expect.objectContaining({ input_tokens: expected })],
    );
  });

  it('sums up embeddings, moderations, images, speech and transcriptions', async () => {
    expect(resultsOf(await usage().embeddings(PERIOD))).toMatchObject([
      { input_tokens: 50, num_model_requests: 1 },
    ]);
    expect(resultsOf(await usage().moderations(PERIOD))).toMatchObject([{ input_tokens: 8 }]);
    const images = await usage().images({ ...PERIOD, group_by: ['source', 'size'] });
    expect(resultsOf(images)).toMatchObject([{ images: 2, source: null, size: null }]);
    expect(resultsOf(await usage().audioSpeeches(PERIOD))).toMatchObject([{ characters: 11 }]);
    expect(resultsOf(await usage().audioTranscriptions(PERIOD))).toMatchObject([{ seconds: 61 }]);
  });

  it('counts generated and edited images together, and refuses one source alone', async () => {
    const both = await usage().images({ ...PERIOD, sources: ['image.edit', 'image.generation'] });
    expect(resultsOf(both)).toMatchObject([{ images: 2 }]);
    expect(resultsOf(await usage().images({ ...PERIOD, sources: ['image.variation'] }))).toEqual([]);
    const edits = usage().images({ ...PERIOD, sources: ['image.edit'] });
    await expect(edits).rejects.toThrow('sources: must have both image.generation and image.edit');
  });

  it('reports costs that equal the charges in the ledger', async () => {
    const costs = await all.admin.organization.usage.costs({ ...PERIOD, group_by: ['project_id'] });
    const byProject = resultsOf(costs).map((result) => {
      const { amount, project_id } = result as {
        amount: { value: number; currency: string };
        project_id: string;
      };
      return [project_id, amount];
    });
    expect(Object.fromEntries(byProject)).toEqual({
      [payer]: { value: 0.750000001, currency: 'usd' },
      [team]: { value: 0.125, currency: 'usd' },
      [member]: { value: 1, currency: 'usd' },
    });
    const [ledger] = await control.sql`
      SELECT -sum(amount)::bigint AS charged FROM ledger_entries WHERE kind IN ('charge', 'correction')`;
    expect(ledger?.charged).toBe('1875000001');
    const own = await usage().costs({ ...PERIOD, group_by: ['line_item'] });
    expect(resultsOf(own)).toMatchObject(
      [
        {
          object: 'organization.costs.result',
          line_item: 'sim/chat-pro',
          amount: { value: 0.375000001 },
          quantity: null,
        },
        { line_item: 'sim/embed', amount: { value: 0 } },
        { line_item: 'sim/ear' },
        { line_item: 'sim/guard' },
        { line_item: 'sim/image' },
        { line_item: 'sim/other', amount: { value: 0.5 } },
        { line_item: 'sim/text' },
        { line_item: 'sim/voice' },
      ].sort((one, other) => (one.line_item < other.line_item ? -1 : 1)),
    );
  });

  it('agrees with GET /v1/usage and with the usage of the management API', async () => {
    const [result] = resultsOf(await usage().completions({ ...PERIOD, project_ids: [payer] }));
    const answer = await at(control.callers, 0).call(CALL_DEADLINE_MS, 'billing', 'getUsage', {
      owner: { accountId: payer },
      startTime: PERIOD.start_time,
      endTime: PERIOD.end_time,
      bucketWidth: DAY,
      groupBy: ['capability'],
      limit: 1,
    });
    const texts = (answer.buckets[0]?.groups ?? []).filter(
      ({ capability = '' }) => capability === 'chat' || capability === 'completions',
    );
    const sum = (counts: (string | undefined)[]) =>
      counts.reduce<number>((total, count) => total + Number(count), 0);
    expect(texts).toHaveLength(2);
    expect(result).toMatchObject({
      num_model_requests: sum(texts.map(({ sums }) => sums?.requests)),
      input_tokens: sum(texts.map(({ sums }) => sums?.units?.inputTokens)),
    });
    const { body } = await api.get(
      `/admin/v1/usage?account_id=${payer}&start_time=${PERIOD.start_time}&end_time=${PERIOD.end_time}` +
        '&bucket_width=1d&group_by=capability',
    );
    expect(body).toMatchObject({
      totals: { requests: Number(answer.totals?.requests), cost_usd: '0.750000001' },
      data: [
        {
          results: expect.arrayContaining([
            expect.objectContaining({ capability: 'chat', input_tokens: 113 }),
          ]),
        },
      ],
    });
  });

  it.each([
    [`start_time=${YESTERDAY}&limit=32`, 400, 'limit'],
    [`start_time=${YESTERDAY}&group_by[]=line_item`, 400, 'group_by[0]'],
    [`start_time=${YESTERDAY}&end_time=${YESTERDAY}`, 400, null],
    [`start_time=${YESTERDAY}&sizes[]=256x256`, 422, 'sizes'],
  ])('is refused the query %s', async (query, status, param) => {
    const answer = await api.get(`/v1/organization/usage/completions?${query}`);
    expect(refusal(answer)).toMatchObject({ status, param });
  });

  it('lists audit logs in pages, newest first', async () => {
    const { createKey } = administer(control);
    const made = [];
    for (const name of ['one', 'two', 'three']) made.push(await createKey({ account: payer, name }));
    const events = await Array.fromAsync(
      bound.admin.organization.auditLogs.list({ event_types: ['api_key.created'], limit: 2 }),
    );
    expect(events.map((event) => event['api_key.created']?.id)).toEqual(made.map(({ id }) => id).reverse());
    expect(events[0]).toMatchObject({
      type: 'api_key.created',
      project: { id: payer },
      actor: { type: 'api_key', api_key: { id: 'operator_token' } },
      effective_at: expect.closeTo(Date.now() / 1_000, -2),
    });
    const before = await bound.admin.organization.auditLogs.list({
      event_types: ['api_key.created'],
      before: events[2]?.id ?? '',
      limit: 1,
    });
    expect(before.data.map(({ id }) => id)).toEqual([events[1]?.id]);
    const ofOne = await all.admin.organization.auditLogs.list({ resource_ids: [made[0]?.id ?? ''] });
    expect(ofOne.data.map(({ id }) => id)).toEqual([events[2]?.id]);
    const future = Math.floor(Date.now() / 1_000) + 100;
    const later = await all.admin.organization.auditLogs.list({ effective_at: { gt: future } });
    expect(later.data).toEqual([]);
    const others = await bound.admin.organization.auditLogs.list({ project_ids: [member] });
    expect(others.data).toEqual([]);
  });

  it('needs the scope', async () => {
    const { key } = await api.insertKey({ scopes: ['keys:write'] });
    await expect(client(key).admin.organization.usage.costs(PERIOD)).rejects.toThrow(/usage:read/);
    await expect(client(key).admin.organization.auditLogs.list()).rejects.toThrow(/audit:read/);
  });
});
