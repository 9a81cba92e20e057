import { GrpcStatus } from '@model-gateway/contracts';
import { isWellFormedApiKey, lookupHash } from '@model-gateway/shared';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { expect } from 'vitest';
import { holderKeysStatement } from '../../src/keys/holder-key-list-store.ts';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import {
  it as base,
  type ControlPlanes,
  startControlPlanes,
  unknownHash,
} from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf } from '../fixtures/holder-fixture.ts';
import { settle } from '../fixtures/pools-fixture.ts';

const hashOf = (rawKey: string) => lookupHash(TEST_SECRETS.API_KEY_LOOKUP_PEPPER, rawKey);

/** Creates a team of acct_test, a member, and the member's seat. */
async function createSeat(control: ControlPlanes) {
  const admin = administer(control);
  const member = holderOf(control, await insertAccount(control, 'member'));
  const team = await admin.createTeam({ name: 'Research' });
  const seat = await admin.addSeat(team.id, member.accountId);
  return { control, admin, member, team, seat };
}

const it = base.extend<{ setup: Awaited<ReturnType<typeof createSeat>> }>({
  setup: async ({ control }, use) => use(await createSeat(control)),
});

it("a holder's keys are listed newest first, with team, last use and requests of this month", async ({
  setup,
}) => {
  const { control, member, team, seat } = setup;
  const plain = await member.createKey('plain');
  const onSeat = await member.createKey('on the seat', seat.id);
  expect(isWellFormedApiKey(onSeat.rawKey)).toBe(true);
  const now = Date.now();
  const lastYear = new Date(now - 366 * 86_400_000).toISOString();
  const uses = [now - 2, now - 1, now];
  const { accountId } = member;
  await settle(control, [
    { requestId: 'req_old', cost: 0, endedAt: lastYear, owner: { accountId }, keyId: plain.key?.id ?? '' },
    ...uses.map((endedMs) => ({
      requestId: `req_${endedMs}`,
      cost: 0,
      endedAt: new Date(endedMs).toISOString(),
      owner: { accountId, seatId: seat.id, teamId: team.id },
      keyId: onSeat.key?.id ?? '',
    })),
    { requestId: 'req_other', cost: 0 },
  ]);
  await member.revokeKey(plain.key?.id ?? '');
  const keys = await member.keys();
  expect(keys).toMatchObject([
    {
      key: onSeat.key,
      lastUsedAtMs: String(now),
      // Early in a month, earlier uses count for the previous one.
      requestsThisMonth: String(
        uses.filter((ms) => new Date(ms).getUTCMonth() === new Date().getUTCMonth()).length,
      ),
      teamId: team.id,
      teamName: 'Research',
    },
    {
      key: { ...plain.key, status: 'revoked', revokedAtMs: expect.stringMatching(/^\d+$/) },
      lastUsedAtMs: String(Date.parse(lastYear)),
      requestsThisMonth: '0',
    },
  ]);
  expect(keys[1]).not.toHaveProperty('teamId');
  expect(keys.map(({ key }) => key?.kind)).toEqual(['issued', 'issued']);
});

it("a holder's keys need one index look-up each in the usage records", async ({ setup }) => {
  const { control, member } = setup;
  await member.createKey('plain');
  await settle(
    control,
    Array.from({ length: 3_000 }, (_, index) => ({ requestId: `req_${index}`, cost: 0 })),
  );
  await control.query('ANALYZE');
  const { text, values } = holderKeysStatement({ accountId: member.accountId, memberId: undefined });
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await control.query(`SET plan_cache_mode = ${mode}`);
    const plan = JSON.stringify(await control.query(`EXPLAIN (FORMAT JSON) ${text}`, values));
    expect(plan).toContain('usage_records_undated_key_id_ended_at_idx');
    expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"usage_records_undated"/);
  }
});

it("another account cannot see, revoke or use a holder's keys and seats, and learns nothing from the refusal", async ({
  setup,
}) => {
  const { control, member, seat } = setup;
  const other = holderOf(control, 'acct_test');
  const { key } = await member.createKey('mine', seat.id);
  const { keyId: hidden } = await member.createPlaygroundKey();
  const before = await control.query('SELECT * FROM api_keys ORDER BY id');
  for (const id of [key?.id ?? '', hidden]) {
    await expectRefusal(other.revokeKey(id), GrpcStatus.NOT_FOUND);
    expect((await messageOf(other.revokeKey(id))).replace(id, 'key_none')).toBe(
      await messageOf(other.revokeKey('key_none')),
    );
  }
  for (const act of [(id: string) => other.createKey('x', id), other.createPlaygroundKey]) {
    await expectRefusal(act(seat.id), GrpcStatus.NOT_FOUND);
    expect((await messageOf(act(seat.id))).replace(seat.id, 'seat_none')).toBe(
      await messageOf(act('seat_none')),
    );
  }
  expect(await other.keys()).toEqual([]);
  expect(await control.query('SELECT * FROM api_keys ORDER BY id')).toEqual(before);
});

it('a key is not issued on a removed seat or without a name', async ({ setup }) => {
  const { control, admin, member, seat } = setup;
  await admin.removeSeat(seat.id);
  for (const act of [(id: string) => member.createKey('x', id), member.createPlaygroundKey])
    await expectRefusal(act(seat.id), GrpcStatus.FAILED_PRECONDITION);
  for (const name of ['', ' ', 'x\0', 'x'.repeat(201)])
    await expectRefusal(member.createKey(name), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(member.revokeKey('key_\0'), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(holderOf(control, 'acct_none').createPlaygroundKey(), GrpcStatus.NOT_FOUND);
  expect(await control.query('SELECT id FROM api_keys')).toEqual([]);
});

it('an account has at most 500 active keys under any concurrency; operators can issue more', async ({
  setup,
}) => {
  const { control, admin, member } = setup;
  await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
     SELECT 'key_' || n, ${member.accountId}, 'many', 'v2:' || encode(sha256(n::text::bytea), 'hex'), 'gw_live_12345678'
     FROM generate_series(1, 497) n`;
  await member.createPlaygroundKey();
  const asked = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => member.createKey(`key ${index}`)),
  );
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expectRefusal(member.createKey('one more'), GrpcStatus.FAILED_PRECONDITION);
  await admin.createKey({ account: member.accountId });
  await member.revokeKey('key_1');
  await expectRefusal(member.createKey('one more'), GrpcStatus.FAILED_PRECONDITION);
  await member.revokeKey('key_2');
  expect((await member.createKey('one more')).key?.name).toBe('one more');
});

it('a playground key works for fifteen minutes, is paid by account or seat, and appears in no list', async ({
  setup,
}) => {
  const { control, admin, member, team, seat } = setup;
  const own = await member.createPlaygroundKey();
  const onSeat = await member.createPlaygroundKey(seat.id);
  const minutes = (Number(own.expiresAtMs) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(14.5);
  expect(minutes).toBeLessThanOrEqual(15);
  expect((await admin.resolve(hashOf(own.rawKey))).key).toMatchObject({
    keyId: own.keyId,
    accountId: member.accountId,
    expiresAtMs: own.expiresAtMs,
  });
  expect((await admin.resolve(hashOf(onSeat.rawKey))).key).toMatchObject({
    seatId: seat.id,
    teamId: team.id,
  });
  expect(await member.keys()).toEqual([]);
  expect(await admin.listKeys(member.accountId)).toEqual([]);
  const [seen] = await member.teams();
  expect(seen?.seats).toMatchObject([{ activeKeys: 0 }]);
  await member.revokeKey(own.keyId);
  expect((await admin.resolve(hashOf(own.rawKey))).key).toBeNull();
  await control.query(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [onSeat.keyId]);
  expect((await admin.resolve(hashOf(onSeat.rawKey))).key).toBeNull();
});

it('an account has at most twenty playground keys, and newer ones replace older ones', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const admin = administer(control);
  const [first] = [await holderOf(control, 'acct_test').createPlaygroundKey()];
  const issued = await admin.createKey({ account: 'acct_test' });
  const other = await holderOf(control, await insertAccount(control, 'other')).createPlaygroundKey();
  const later = await Promise.all(
    Array.from({ length: 24 }, (_, index) => holderOf(control, 'acct_test', index % 2).createPlaygroundKey()),
  );
  const working = async (rawKey: string) => (await admin.resolve(hashOf(rawKey))).key !== null;
  const live = await Promise.all(later.map(({ rawKey }) => working(rawKey)));
  expect(live.filter(Boolean)).toHaveLength(20);
  expect(await working(first?.rawKey ?? '')).toBe(false);
  expect(await working(other.rawKey)).toBe(true);
  expect((await admin.resolve(issued.lookupHash)).key).not.toBeNull();
});

it('an expired playground key is not active, and changed limits do not reach it', async ({ setup }) => {
  const { control, admin, member, seat } = setup;
  await admin.createKey({ account: 'acct_test' });
  const { keyId } = await member.createPlaygroundKey(seat.id);
  expect(await admin.activeKeys()).toBe(2);
  await control.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [keyId]);
  await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, kind)
     VALUES ('key_demo', 'acct_test', 'Demo', ${unknownHash()}, 'gw_live_demo0000', 'demo')`;
  expect(await admin.activeKeys()).toBe(1);
  await admin.setLimits({ account: member.accountId, freePerMinute: { value: 7 } });
  await admin.removeSeat(seat.id);
  expect(await control.query('SELECT key_id FROM key_events WHERE key_id = $1', [keyId])).toEqual([]);
});
