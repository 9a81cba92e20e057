import { newRequestId } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const list = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })),
  searched_back_to: z.string().nullable(),
});
const NOW_MS = Date.now();
const [plain, special] = [newRequestId(NOW_MS - 20_000), newRequestId(NOW_MS - 10_000)];
let other = '';

const attempt = (changes: object) => ({
  ...{ providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 100 },
  ...changes,
});

beforeAll(async () => {
  other = await insertAccount(control, 'other');
  await settleRows(control.query, [
    usageRow({
      requestId: plain,
      endedAt: new Date(NOW_MS - 19_000).toISOString(),
      attempts: [attempt({})],
    }),
    usageRow({
      ...{ requestId: special, accountId: other, keyId: 'key_special', seatId: 'seat_1', teamId: 'team_1' },
      ...{ modelId: 'sim/rare', capability: 'embeddings', billingReason: 'estimated' },
      ...{ clientStatus: 502, clientErrorCode: 'upstream_error', cost: '2000000000' },
      ...{ tags: { project: 'alpha' }, endUser: 'u-1', session: 's-1' },
      endedAt: new Date(NOW_MS - 1_000).toISOString(),
      attempts: [
        attempt({
          ...{ errorCode: 'upstream_timeout', durationMs: 4_000, endedAtMs: NOW_MS - 5_000 },
          ...{ credentialEnv: 'SIM_KEY', operatorError: 'in the words of the provider' },
        }),
        attempt({
          providerId: 'spare',
          durationMs: 3_000,
          endedAtMs: NOW_MS - 1_000,
          timeToFirstTokenMs: 700,
        }),
      ],
    }),
  ]);
});

async function idsOf(query: string, key?: string): Promise<string[]> {
  const { body, status } = await api.get(`/admin/v1/receipts?${query}`, key === undefined ? {} : { key });
  expect(status).toBe(200);
  return list.parse(body).data.map(({ id }) => id);
}

describe('receipts of all accounts', () => {
  it('are listed newest first, in pages', async () => {
    expect(await idsOf('')).toEqual([special, plain]);
    const first = await api.get('/admin/v1/receipts?limit=1');
    expect(first.body).toMatchObject({ data: [{ id: special }], has_more: true });
    expect(first.body.searched_back_to).toBe(new Date(NOW_MS - 1_000).toISOString());
    const rest = await api.get(`/admin/v1/receipts?limit=1&cursor=${String(first.body.next_cursor)}`);
    expect(rest.body).toMatchObject({ data: [{ id: plain }], has_more: false, searched_back_to: null });
  });

  it.each([
    'team_id=team_1',
    'seat_id=seat_1',
    'key_id=key_special',
    `request_id=${special}`,
    'model=sim/rare',
    'provider=spare',
    'capability=embeddings',
    'status=502',
    'status=5xx',
    'code=upstream_error',
    'code=upstream_timeout',
    'billing_reason=estimated',
    'min_cost_usd=2',
    'min_duration_ms=7000',
    'tags[project]=alpha',
    'end_users=u-1',
    'sessions=s-1',
    `start_time=${Math.floor(NOW_MS / 1_000) - 12}`,
    'team_id=team_1&provider=spare&status=5xx&min_cost_usd=1.5',
  ])('are found by %s', async (query) => {
    expect(await idsOf(query)).toEqual([special]);
  });

  it.each(['min_cost_usd=2.01', 'min_duration_ms=7001', 'provider=none', 'status=5xx&model=sim/chat'])(
    'are not found by %s',
    async (query) => {
      expect(await idsOf(query)).toEqual([]);
    },
  );

  it.each(['min_cost_usd=much', 'status=600', 'capability=none', 'min_duration_ms=-1'])(
    'are refused for %s',
    async (query) => {
      expect((await api.get(`/admin/v1/receipts?${query}`)).status).toBe(400);
    },
  );

  it('are only its own for a key that is bound to an account', async () => {
    const { key } = await api.insertKey({ accountId: other });
    expect(await idsOf('', key)).toEqual([special]);
    expect(await idsOf(`request_id=${plain}`, key)).toEqual([]);
    expect((await api.get(`/admin/v1/receipts/${plain}`, { key })).status).toBe(404);
    expect((await api.get('/admin/v1/refused_requests', { key })).body.data).toEqual([]);
  });

  it('say when each step happened, in the words for operators', async () => {
    const { body } = await api.get(`/admin/v1/receipts/${special}`);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(body).toMatchObject({
      ...{ arrived_at: at(NOW_MS - 10_000), ended_at: at(NOW_MS - 1_000), has_contents: false },
      account_email: expect.stringContaining('@'),
      attempts: [
        {
          ...{ started_at: at(NOW_MS - 9_000), time_to_first_token_ms: null, credential_env: 'SIM_KEY' },
          operator_error: 'in the words of the provider',
        },
        { started_at: at(NOW_MS - 4_000), time_to_first_token_ms: 700 },
      ],
    });
    const old = await api.get(`/admin/v1/receipts/${plain}`);
    expect(old.body.attempts).toMatchObject([{ started_at: null }]);
  });
});
