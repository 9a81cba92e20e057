import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { objectsOf, staffedAccount } from '../fixtures/roles-fixture.ts';
import { rulesOf } from '../fixtures/rules-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const PAST = '2026-01-01T00:00:00.000Z';
const FUTURE = '2099-01-01T00:00:00.000Z';

/** Creates a key on a seat of a team of its own account. */
async function createKey() {
  const { id: accountId } = await staffedAccount(control);
  const seatId = await objectsOf(control, { id: accountId }).seat();
  const [seat] = await control.query('SELECT team_id FROM seats WHERE id = $1', [seatId]);
  const { body } = await api.post('/admin/v1/keys', { seat_id: seatId, name: 'k' });
  const id = String(body.id);
  return {
    accountId,
    id,
    levels: { key: id, seat: seatId, team: String(seat?.team_id), account: accountId },
  };
}

/** Returns the statuses of a key, and its expiry by rules, in lists and single reads. */
async function statusesOf(id: string, accountId: string) {
  const [ofOperator] = (await control.admin('accounts', 'listKeys', { account: accountId })).keys;
  const [ofHolder] = await holderOf(control, accountId).keys();
  const { body: one } = await api.get(`/admin/v1/keys/${id}`);
  const { body: page } = await api.get(`/admin/v1/keys?account_id=${accountId}`);
  expect(page.data).toEqual([one]);
  expect(ofHolder?.key?.rulesExpireAtMs).toBe(ofOperator?.rulesExpireAtMs);
  return {
    statuses: [...new Set([ofOperator?.status, ofHolder?.key?.status, one.status])],
    rulesExpireAtMs: Number(ofOperator?.rulesExpireAtMs),
  };
}

it.each(['key', 'seat', 'team', 'account'] as const)(
  'a key that rules of its %s have ended is shown as expired until these change',
  async (kind) => {
    const { accountId, id, levels } = await createKey();
    const setExpiry = (expires_at: string | number | null) =>
      rulesOf(control).set({ kind, id: levels[kind] }, { expires_at });
    await setExpiry(FUTURE);
    const ends = { statuses: ['active'], rulesExpireAtMs: Date.parse(FUTURE) };
    expect(await statusesOf(id, accountId)).toEqual(ends);
    for (const past of [PAST, Date.parse(PAST) / 1_000]) {
      await setExpiry(past);
      const ended = { statuses: ['expired'], rulesExpireAtMs: Date.parse(PAST) };
      expect(await statusesOf(id, accountId)).toEqual(ended);
    }
    await setExpiry(null);
    expect(await statusesOf(id, accountId)).toEqual({ statuses: ['active'], rulesExpireAtMs: Number.NaN });
  },
);

it('a key that its own rules have ended works again after a PATCH of the version that was read', async () => {
  const { accountId, id } = await createKey();
  await rulesOf(control).set({ kind: 'key', id }, { expires_at: PAST });
  const { headers } = await api.get(`/admin/v1/keys/${id}`);
  const ifMatch = { headers: { 'if-match': headers.get('etag') ?? '' } };
  const changed = await api.patch(`/admin/v1/keys/${id}`, { rules: { expires_at: FUTURE } }, ifMatch);
  expect(changed).toMatchObject({ status: 200, body: { status: 'active', expires_at: null } });
  expect((await api.get(`/admin/v1/keys/${id}`)).headers.get('etag')).toBe(changed.headers.get('etag'));
  const { events } = await control.admin('audit', 'listAuditEvents', {
    account: accountId,
    filter: { objectId: id, action: 'api_key.updated' },
    limit: 1,
  });
  expect(JSON.parse(events[0]?.beforeJson ?? '{}')).toMatchObject({ status: 'expired' });
  expect(JSON.parse(events[0]?.afterJson ?? '{}')).toMatchObject({ status: 'active' });
});

it('a key made with rules that have ended is created as expired', async () => {
  const { accountId } = await createKey();
  const made = await api.post('/admin/v1/keys', {
    ...{ account_id: accountId, name: 'late' },
    rules: { expires_at: PAST },
  });
  expect(made.body.status).toBe('expired');
});
