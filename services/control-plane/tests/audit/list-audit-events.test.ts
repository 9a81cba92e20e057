import { GrpcStatus } from '@model-gateway/contracts';
import { beforeAll, expect } from 'vitest';
import { expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, it, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';

const control = useControlPlanes();
let ada: string;
let ben: string;

beforeAll(async () => {
  ada = await insertAccount(control, 'ada');
  ben = await insertAccount(control, 'ben');
  for (const account of [ada, ben]) {
    for (const name of ['one', 'two', 'three']) await control.admin('teams', 'createTeam', { account, name });
  }
  await holderOf(control, ada).createTeam('four');
  await control.admin('admin', 'setCredential', { name: 'ACME_API_KEY', value: 'sk-0123456789abcdefghij' });
});

const list = async (request: object) => await control.admin('audit', 'listAuditEvents', request);
const namesOf = async (request: object) => (await list(request)).events.map(({ object }) => object?.name);

it('the list is newest first, in pages that fit together', async () => {
  const all = await list({});
  expect(all.events).toHaveLength(8);
  expect(all.events.map(({ atMs }) => Number(atMs))).toEqual(
    all.events.map(({ atMs }) => Number(atMs)).sort((a, b) => b - a),
  );
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    paged.push(...page.events.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    expect(cursor).toBe(paged.at(-1));
  }
  expect(paged).toEqual(all.events.map(({ id }) => id));
});

it('the list is filtered by account, action, actor, object and time', async () => {
  expect(await namesOf({ account: 'ben@example.com' })).toEqual(['three', 'two', 'one']);
  expect(await namesOf({ account: ada })).toEqual(['four', 'three', 'two', 'one']);
  expect(await namesOf({ account: 'acct_gone' })).toEqual([]);
  expect(await namesOf({ filter: { action: 'credential.set' } })).toEqual(['ACME_API_KEY']);
  expect(await namesOf({ filter: { actor: `${ada}@example.com` } })).toEqual(['four']);
  const { events } = await list({ account: ben });
  const [last, middle, first] = events;
  expect(await namesOf({ filter: { objectId: middle?.object?.id } })).toEqual(['two']);
  const since = { filter: { sinceMs: first?.atMs, untilMs: last?.atMs } };
  expect(await namesOf({ account: ben, ...since })).not.toContain('three');
  expect(await namesOf({ account: ben, ...since })).toContain('one');
});

it('a page has at most 200 events, and a cursor comes from a page', async () => {
  await expectRefusal(list({ limit: 201 }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(list({ cursor: 'aud_unknown' }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(list({ account: 'nobody@example.com' }), GrpcStatus.NOT_FOUND);
});

it('an export returns all events since a time, oldest first', async () => {
  const { events } = await list({});
  const exported = await control.admin('audit', 'exportAuditLog', { sinceMs: events.at(-1)?.atMs ?? '0' });
  expect(exported.nextPageToken).toBeUndefined();
  expect(exported.events.map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort());
  expect(exported.events[0]?.id).toBe(events.at(-1)?.id);
  const later = { sinceMs: String(Date.now() + 60_000) };
  expect((await control.admin('audit', 'exportAuditLog', later)).events).toEqual([]);
});

it('an account sees its own events, without the addresses of operators', async () => {
  await control.query(`UPDATE accounts SET sign_in_id = 'user_ada' WHERE id = $1`, [ada]);
  const user = { accountId: ada, signInId: 'user_ada', email: 'ada@example.com' };
  const { events } = await at(control.callers, 0).call(
    CALL_DEADLINE_MS,
    'dashboard',
    'listHolderAuditEvents',
    { accountId: ada },
    undefined,
    { ...user, clientIp: '192.0.2.7', requestId: 'req_test' },
  );
  expect(events.map(({ object, actor }) => [object?.name, actor?.type, actor?.ip])).toEqual([
    ['four', 'user', '192.0.2.7'],
    ...['three', 'two', 'one'].map((name) => [name, 'operator_token', undefined]),
  ]);
});
