import { createLogger } from '@model-gateway/service-kit';
import { newId } from '@model-gateway/shared';
import { afterEach, beforeEach, expect } from 'vitest';
import { AccountStore } from '../../src/accounts/account-store.ts';
import { reportSignIn } from '../../src/accounts/report-sign-in.ts';
import { BOUNDS, WINDOW_MS } from '../../src/audit/attempt-limits.ts';
import { AttemptStore } from '../../src/audit/attempt-store.ts';
import { Attempts } from '../../src/audit/attempts.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { it, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes();
let nowMs = Date.now();
let attempts: Attempts;
let owner: string;

beforeEach(async () => {
  nowMs = Date.now();
  const log = createLogger({ service: 'test', level: 'silent' });
  attempts = new Attempts(new AttemptStore(control.prisma), log, () => nowMs);
  owner = await insertAccount(control, `owner-${crypto.randomUUID()}`);
});
afterEach(() => attempts.close());

interface SignInReport {
  action?: string;
  ip?: string;
  email?: string;
  accountId?: string;
  signInId?: string;
  object?: { type: string; id: string; name: string };
  eventId?: string;
  changedAtMs?: string;
}

function report({
  action = 'login.failed',
  email = 'nobody@example.com',
  ip = '192.0.2.1',
  ...more
}: SignInReport) {
  const message = { action, email, clientIp: ip, requestId: 'req_1', object: null, ...more };
  const context = {
    accountStore: new AccountStore(control.prisma),
    attemptStore: new AttemptStore(control.prisma),
    deniedAttempts: attempts,
  };
  return reportSignIn(context, { type: 'system', way: 'system' }, message);
}

const count = async (where: string, ...values: unknown[]) =>
  (await control.query(`SELECT count(*)::int AS count FROM audit_events WHERE ${where}`, values))[0]?.count;

it('a failed sign-in has an event of the account of its address, a successful one of its user', async () => {
  const email = `${owner.slice(5)}@example.com`;
  await report({ email });
  await report({ action: 'login.succeeded', email, accountId: owner, signInId: 'user_1' });
  const passkey = { type: 'passkey', id: 'pk_1', name: 'laptop' };
  await report({ action: 'passkey.added', email, accountId: owner, signInId: 'user_1', object: passkey });
  const events = await control.query(
    `SELECT action, actor, way, object_type, object_id, object_name, request_id, outcome FROM audit_events
     WHERE account_id = $1 ORDER BY position`,
    [owner],
  );
  const actor = { type: 'user', email, ip: '192.0.2.1' };
  const common = { way: 'dashboard', request_id: 'req_1' };
  const signIn = { object_type: 'sign_in', object_name: email };
  expect(events).toEqual([
    {
      action: 'login.failed',
      outcome: 'denied',
      actor: { ...actor, id: null },
      ...signIn,
      object_id: '',
      ...common,
    },
    {
      ...{ action: 'login.succeeded', outcome: 'done', actor: { ...actor, id: 'user_1' } },
      ...{ ...signIn, object_id: 'user_1', ...common },
    },
    {
      ...{ action: 'passkey.added', outcome: 'done', actor: { ...actor, id: 'user_1' }, ...common },
      ...{ object_type: 'passkey', object_id: 'pk_1', object_name: 'laptop' },
    },
  ]);
});

it('a change that is reported several times, also at once, has one event', async () => {
  const eventId = newId('aud');
  const change = { action: 'passkey.removed', accountId: owner, signInId: 'user_1', eventId };
  await Promise.allSettled([report(change), report(change), report(change)]);
  await report(change);
  expect(await count('id = $1', eventId)).toBe(1);
  expect(await count(`action = 'passkey.removed' AND account_id = $1`, owner)).toBe(1);
});

it('a change that is reported late has its own time', async () => {
  const changedAtMs = Date.now() - 3_600_000;
  const eventId = newId('aud');
  await report({ action: 'totp.added', signInId: 'user_1', eventId, changedAtMs: String(changedAtMs) });
  const inTime = { action: 'totp.removed', signInId: 'user_1', changedAtMs: String(Date.now()) };
  await report({ ...inTime, accountId: owner });
  const [late] = await control.query('SELECT after FROM audit_events WHERE id = $1', [eventId]);
  expect(late?.after).toEqual({ changed_at: new Date(changedAtMs).toISOString() });
  expect(await count(`action = 'totp.removed' AND account_id = $1 AND after IS NULL`, owner)).toBe(1);
});

it.each([
  { action: 'login.unknown' },
  { action: 'totp.added', eventId: 'evt_1' },
  { email: 'a\u0000b@example.com' },
  { email: 'x'.repeat(300) },
  { object: { type: '', id: '1', name: '' } },
])('the report %j of a sign-in is refused', async (given) => {
  await expect(report(given)).rejects.toThrow('not well-formed');
});

it('100,000 failed sign-ins write at most the bound, and one event a minute counts the rest', async () => {
  const before = await count('true');
  for (let start = 0; start < 100_000; start += 100) {
    const ips = Array.from({ length: 100 }, (_, index) => `10.${index}.${(start / 100) % 200}.1`);
    await Promise.all(ips.map((ip) => report({ email: `${ip}@example.com`, ip })));
  }
  await attempts.summarize();
  await attempts.summarize();
  const written = Number(await count('true')) - Number(before);
  expect(written).toBe(BOUNDS.stranger.all + 1);
  const [summary] = await control.query(
    `SELECT after FROM audit_events WHERE action = 'attempts.summarized' ORDER BY at DESC LIMIT 1`,
  );
  expect(summary?.after).toMatchObject({
    count: 100_000 - BOUNDS.stranger.all,
    actions: [{ name: 'login.failed', count: 100_000 - BOUNDS.stranger.all }],
  });
  expect(JSON.stringify(summary).length).toBeLessThan(2_000);
});

it('each address and each account has a bound of its own for an hour, an IPv6 address by its /64', async () => {
  const written = async (reports: SignInReport[]) => {
    const before = Number(await count('true'));
    for (const given of reports) await report(given);
    return Number(await count('true')) - before;
  };
  const many = (length: number, given: (index: number) => SignInReport) =>
    Array.from({ length }, (_, index) => given(index));
  const sameAddress = many(50, (index) => ({ ip: `2001:db8::${index}`, email: `${index}@example.com` }));
  expect(await written(sameAddress)).toBe(BOUNDS.stranger.address);
  expect(await written(many(1, () => ({ ip: '2001:db8:0:1::1' })))).toBe(1);
  const email = `${owner.slice(5)}@example.com`;
  const sameAccount = many(100, (index) => ({ ip: `198.51.100.${index}`, email }));
  expect(await written(sameAccount)).toBe(BOUNDS.stranger.account);
  // Strangers do not use up what the users of the account have.
  const succeeded = { action: 'login.succeeded', email, accountId: owner, signInId: 'user_1' };
  expect(await written(many(100, () => succeeded))).toBe(BOUNDS.proven.caller);
  // Many sign-ins cannot hide a later change either.
  const added = { ...succeeded, action: 'passkey.added', object: { type: 'passkey', id: 'pk', name: '' } };
  expect(await written(many(10, () => added))).toBe(10);
  nowMs += WINDOW_MS;
  expect(await written(many(1, () => ({ ip: '2001:db8::1' })))).toBe(1);
});

it('a denied attempt is noted in the background and never throws', async () => {
  const attempt = {
    actor: { type: 'admin_key' as const, id: null, email: null },
    way: 'api' as const,
    action: 'api_key.created',
    object: { type: 'key', id: 'key_other', name: '' },
    accountId: owner,
    ip: '192.0.2.7',
    requestId: 'req_9',
  };
  attempts.note(attempt);
  attempts.note({ ...attempt, object: { type: 'rpc', id: `\u0000${'😀'.repeat(5_000)}`, name: '' } });
  const broken = new Attempts(
    { append: () => Promise.reject(new Error('no database')) },
    createLogger({ service: 'test', level: 'silent' }),
  );
  broken.note(attempt);
  await broken.close();
  await attempts.close();
  const events = await control.query(
    'SELECT * FROM audit_events WHERE account_id = $1 ORDER BY object_type',
    [owner],
  );
  expect(events).toMatchObject([
    {
      ...{ action: 'api_key.created', way: 'api', outcome: 'denied', before: null, after: null },
      ...{ actor: { type: 'admin_key', id: null, email: null, ip: '192.0.2.7' }, request_id: 'req_9' },
    },
    { object_type: 'rpc', object_id: expect.stringMatching(/^\ufffd.{99,199}$/u) },
  ]);
  expect((await control.admin('audit', 'verifyAuditLog', { heads: [] })).broken).toBeNull();
});

it('a change has its event whatever a client claims to be its address', async () => {
  const object = { type: 'passkey', id: 'pk_1', name: 'laptop' };
  await report({ action: 'passkey.added', accountId: owner, ip: `\t${'x'.repeat(100)}`, object });
  const [event] = await control.query('SELECT actor FROM audit_events WHERE account_id = $1', [owner]);
  expect(event).toMatchObject({ actor: { ip: ` ${'x'.repeat(63)}` } });
});
