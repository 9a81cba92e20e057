import { randomBytes } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { lookupHash, pepperFingerprint } from '@model-gateway/shared';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { describe, expect, it } from 'vitest';
import { ContentsSeal } from '../../src/contents/contents-seal.ts';
import { ContentsStore } from '../../src/contents/contents-store.ts';
import { hideSecrets } from '../../src/contents/hide-secrets.ts';
import { renewContentsKeys } from '../../src/contents/renew-contents-keys.ts';
import { expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { storeContents } from '../fixtures/contents-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';
import { objectsOf, signInWith, staffedAccount } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes({ environment: { CONTENTS_ACCOUNT_MB: '1' } });
const api = manage(control);

const body = (text: string) => ({
  contentType: 'application/json',
  bytes: text.length,
  text: Buffer.from(text),
  cut: false,
});

/** Reports contents as a data plane does. */
function report(contentsKeyId: string | number, requestId: string, text = '{}') {
  const contents = { contentsKeyId, requestId, path: '/v1/messages', status: 200 };
  return at(control.callers, 0).call(CALL_DEADLINE_MS, 'contents', 'reportContents', {
    contents: [{ ...contents, request: body(text), response: body(text) }],
  });
}

const countOf = async (accountId: string) =>
  Number(
    (
      await control.sql`
        SELECT count(*) FROM request_contents c JOIN contents_keys k ON k.id = c.key_id
        WHERE k.account_id = ${accountId}`
    )[0]?.count,
  );
const keysOf = (accountId: string) =>
  control.sql`SELECT * FROM contents_keys WHERE account_id = ${accountId} ORDER BY id`;

describe('contents', () => {
  it.each([0, 31, 400])('are not stored for %i days', async (days) => {
    const holder = holderOf(control, await insertAccount(control, `days${days}`));
    await expectRefusal(holder.change('setHolderContents', { days }), GrpcStatus.INVALID_ARGUMENT);
  });

  it('are in the context of each key of the account, and of no other, until they are turned off', async () => {
    const accountId = await insertAccount(control, 'flag');
    const holder = holderOf(control, accountId);
    const { rawKey } = await control.admin('accounts', 'createKey', { account: accountId, name: 'Key' });
    const key = { lookupHash: lookupHash(TEST_SECRETS.API_KEY_LOOKUP_PEPPER, rawKey) };
    const other = await control.createKey();
    const resolve = async ({ lookupHash }: typeof key) =>
      (await at(control.callers, 0).call(CALL_DEADLINE_MS, 'keys', 'resolveKey', { lookupHash })).key;
    expect((await resolve(key))?.contentsKeyId).toBeUndefined();
    await holder.change('setHolderContents', { days: 7 });
    expect((await resolve(key))?.contentsKeyId).toBe(String((await keysOf(accountId))[0]?.id));
    expect((await resolve(other))?.contentsKeyId).toBeUndefined();
    await holder.change('setHolderContents', {});
    expect((await resolve(key))?.contentsKeyId).toBeUndefined();
  });

  it('of a key that was destroyed are dropped, also when a data plane sends them later', async () => {
    const accountId = await insertAccount(control, 'late');
    const holder = holderOf(control, accountId);
    await holder.change('setHolderContents', { days: 7 });
    const id = String((await keysOf(accountId))[0]?.id);
    expect(await report(id, 'req_1')).toEqual({ dropped: 0, full: 0 });
    expect(await report(id, 'req_1')).toEqual({ dropped: 0, full: 0 });
    expect(await countOf(accountId)).toBe(1);
    await holder.change('setHolderContents', {});
    expect(await keysOf(accountId)).toEqual([]);
    await holder.change('setHolderContents', { days: 7 });
    expect(await report(id, 'req_2')).toEqual({ dropped: 1, full: 0 });
    expect(await countOf(accountId)).toBe(0);
  });

  it('are hidden when they are older than the account wants, and deleted in the next minute', async () => {
    const account = await staffedAccount(control);
    const requestId = await objectsOf(control, account).contents();
    const fresh = await objectsOf(control, account).contents();
    const holder = holderOf(control, account.id);
    await control.sql`
      UPDATE request_contents SET stored_at = now() - interval '3 days 1 minute' WHERE request_id = ${requestId}`;
    expect(await holder.change('viewHolderContents', { requestId })).toMatchObject({ requestId });
    await holder.change('setHolderContents', { days: 3 });
    await expectRefusal(holder.change('viewHolderContents', { requestId }), GrpcStatus.NOT_FOUND);
    await holder.change('viewHolderContents', { requestId: fresh });
    await new ContentsStore(control.prisma).prune();
    expect(await countOf(account.id)).toBe(1);
  });

  it('are stored up to a size per account, and again when older ones are deleted', async () => {
    const accountId = await insertAccount(control, 'full');
    await holderOf(control, accountId).change('setHolderContents', { days: 7 });
    const id = String((await keysOf(accountId))[0]?.id);
    const text = () => randomBytes(100_000).toString('hex');
    const added = async (requestId: string) => (await report(id, requestId, text())).full === 0;
    let count = 0;
    while (count < 20 && (await added(`req_${count}`))) count++;
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThan(20);
    expect(await countOf(accountId)).toBe(count);
    await control.sql`
      UPDATE request_contents SET stored_at = now() - interval '8 days'
      WHERE key_id = ${BigInt(id)} AND request_id IN ('req_0', 'req_1')`;
    await new ContentsStore(control.prisma).prune();
    expect(await added('req_later')).toBe(true);
    const [{ stored, counted } = {}] = await control.sql`
      SELECT k.stored_bytes::text AS counted, sum(octet_length(c.sealed))::text AS stored
      FROM contents_keys k JOIN request_contents c ON c.key_id = k.id WHERE k.id = ${BigInt(id)} GROUP BY k.id`;
    expect(counted).toBe(stored);
  });

  it('of a request are those of its account alone', async () => {
    const [one, other] = [await staffedAccount(control), await staffedAccount(control)];
    const requestId = await objectsOf(control, one).request();
    await storeContents(control, other.id, requestId);
    const look = (id: string) => holderOf(control, id).change('viewHolderContents', { requestId });
    await expectRefusal(look(other.id), GrpcStatus.NOT_FOUND);
    await expectRefusal(look(one.id), GrpcStatus.PERMISSION_DENIED);
  });

  it('that were moved to another request or account cannot be read', async () => {
    const [one, other] = [await staffedAccount(control), await staffedAccount(control)];
    const requestId = await objectsOf(control, one).contents();
    const second = await objectsOf(control, one).request();
    await control.sql`UPDATE request_contents SET request_id = ${second} WHERE request_id = ${requestId}`;
    const look = (id: string, of: string) =>
      holderOf(control, id).change('viewHolderContents', { requestId: of });
    await expectRefusal(look(one.id, second), GrpcStatus.FAILED_PRECONDITION);
    const third = await objectsOf(control, other).contents();
    await control.sql`UPDATE contents_keys SET sealed = (SELECT sealed FROM contents_keys WHERE account_id = ${one.id})
      WHERE account_id = ${other.id}`;
    await expectRefusal(look(other.id, third), GrpcStatus.FAILED_PRECONDITION);
  });
});

describe('GET /admin/v1/receipts/{id}/contents', () => {
  it('needs a key that is bound to the account and has the scope usage:write, and is in the audit log', async () => {
    const account = await staffedAccount(control);
    const id = await objectsOf(control, account).contents();
    const path = `/admin/v1/receipts/${id}/contents`;
    const look = async (key: {
      scopes: ('audit:write' | 'usage:read' | 'usage:write')[];
      accountId?: string;
    }) => await api.get(path, { key: (await api.insertKey(key)).key });
    const shown = await look({ scopes: ['usage:write'], accountId: account.id });
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown).toMatchObject({
      status: 200,
      body: { object: 'request.contents', id, account_id: account.id, request: { text: '{}' } },
    });
    expect((await look({ scopes: ['usage:read', 'audit:write'], accountId: account.id })).status).toBe(403);
    const unbound = await look({ scopes: ['usage:write'] });
    expect(unbound.status).toBe(403);
    expect(JSON.stringify(unbound.body)).toContain('bound to no account');
    expect((await look({ scopes: ['usage:write'], accountId: 'acct_test' })).status).toBe(404);
    const views = await control.sql`
      SELECT object_id, actor->>'type' AS by FROM audit_events
      WHERE account_id = ${account.id} AND action = 'contents.viewed'`;
    expect(views).toEqual([{ object_id: id, by: 'admin_key' }]);
  });

  it('is refused where the owner did not turn contents on', async () => {
    const account = await staffedAccount(control);
    const { key } = await api.insertKey({ scopes: ['usage:write'], accountId: account.id });
    const answer = await api.get(
      `/admin/v1/receipts/${await objectsOf(control, account).request()}/contents`,
      {
        key,
      },
    );
    expect(refusal(answer)).toMatchObject({ status: 403 });
    expect(JSON.stringify(answer.body)).toContain('has not turned on contents');
  });
});

describe('contents in the console', () => {
  it('are shown to an operator if the owner turned them on, with an event of the account, and never to an auditor', async () => {
    const account = await staffedAccount(control);
    const without = await staffedAccount(control);
    const id = await objectsOf(control, account).contents();
    const others = await objectsOf(control, without).request();
    const lookAs = async (role: string, requestId: string) => {
      const signInId = await signInWith(control, `${role}.of.contents@example.com`);
      await control.admin('members', 'grantRole', { email: `${role}.of.contents@example.com`, role });
      const requestJson = JSON.stringify({ path: { id: requestId } });
      const call = { operation: 'viewContents', requestJson, mayChange: false };
      const { bodyJson, status } = await holderOf(control, account.id).change(
        'callManagementApi',
        call,
        signInId,
      );
      return { signInId, status, text: bodyJson };
    };
    const operator = await lookAs('operator', id);
    expect([operator.status, JSON.parse(operator.text).request.text]).toEqual([200, '{}']);
    const auditor = await lookAs('auditor', id);
    expect(auditor.status).toBe(403);
    expect(auditor.text).not.toContain('{}');
    const views = await control.sql`
      SELECT actor->>'id' AS id FROM audit_events WHERE account_id = ${account.id} AND action = 'contents.viewed'`;
    expect(views).toEqual([{ id: operator.signInId }]);
    await control.sql`DELETE FROM dashboard_users WHERE email LIKE '%.of.contents@example.com'`;
    const refused = await lookAs('operator', others);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('has not turned on contents');
  });

  it.each(['admin', 'developer', 'viewer'] as const)('cannot be turned on by the role %s', async (role) => {
    const { id, signIns } = await staffedAccount(control);
    const call = holderOf(control, id).change('setHolderContents', { days: 7 }, signIns[role]);
    await expectRefusal(call, GrpcStatus.PERMISSION_DENIED);
    expect(await keysOf(id)).toEqual([]);
  });
});

describe('the key of contents', () => {
  const NEW = 'new-pepper-0123456789abcdefghijklmnopq';
  const OLD = TEST_SECRETS.API_KEY_LOOKUP_PEPPER;

  it('opens with both peppers while one is replaced, and then with the new one alone', () => {
    const before = new ContentsSeal(OLD, undefined);
    const during = new ContentsSeal(NEW, OLD);
    const after = new ContentsSeal(NEW, undefined);
    const stored = before.newKey('acct_1');
    const key = before.open(stored, 'acct_1');
    expect(during.open(stored, 'acct_1')).toEqual(key);
    const renewed = during.renew(stored, 'acct_1');
    expect(renewed?.pepperFingerprint).toBe(pepperFingerprint(NEW));
    for (const seal of [before, during, after]) expect(renewed && seal.open(renewed, 'acct_1')).toEqual(key);
    expect(renewed && during.renew(renewed, 'acct_1')).toBeUndefined();
    const last = renewed && after.renew(renewed, 'acct_1');
    expect(last?.previousSealed).toBeNull();
    expect(last && after.open(last, 'acct_1')).toEqual(key);
    expect(last && before.open(last, 'acct_1')).toBeUndefined();
    expect(last && after.renew(last, 'acct_1')).toBeUndefined();
  });

  it('is sealed with the new pepper in the database, while control planes with the old one still open it', async () => {
    const account = await staffedAccount(control);
    const requestId = await objectsOf(control, account).contents();
    const renewed = () => keysOf(account.id).then(([key]) => String(key?.pepper_fingerprint));
    expect(await renewed()).toBe(pepperFingerprint(OLD));
    const context = {
      contentsStore: new ContentsStore(control.prisma),
      contentsSeal: new ContentsSeal(NEW, OLD),
    };
    await renewContentsKeys(context);
    expect(await renewed()).toBe(pepperFingerprint(NEW));
    const look = () => holderOf(control, account.id).change('viewHolderContents', { requestId });
    expect(await look()).toMatchObject({ requestId });
    await renewContentsKeys({ ...context, contentsSeal: new ContentsSeal(NEW, undefined) });
    await expectRefusal(look(), GrpcStatus.FAILED_PRECONDITION);
  });

  it('stays as it is when no pepper opens it, and when the replacement is taken back', () => {
    const stored = new ContentsSeal('lost-pepper-0123456789abcdefghijklmnop', undefined).newKey('acct_1');
    expect(new ContentsSeal(NEW, OLD).renew(stored, 'acct_1')).toBeUndefined();
    const before = new ContentsSeal(OLD, undefined);
    const original = before.newKey('acct_1');
    const renewed = new ContentsSeal(NEW, OLD).renew(original, 'acct_1');
    const back = renewed && before.renew(renewed, 'acct_1');
    expect(back && before.open(back, 'acct_1')).toEqual(before.open(original, 'acct_1'));
  });
});

it.each([
  ['{"authorization": "Bearer a\\"b", "x": 1}', '{"authorization": "[removed]", "x": 1}'],
  ['{"authorization_token":"secret","name":"m"}', '{"authorization_token":"[removed]","name":"m"}'],
  ['{"headers": {"x-key": "secret"}, "type": "mcp"}', '{"headers": {"[removed]": ""}, "type": "mcp"}'],
  ['{"headers": {"x": "{\\"t\\": \\"secret\\"}"}, "a": 1}', '{"headers": {"[removed]": ""}, "a": 1}'],
  ['{"headers": {"x": "cut{secr', '{"headers": {"[removed]": ""'],
  ['{"authorization": "Bearer cut', '{"authorization": "[removed]'],
  [`key gw_live_${'a'.repeat(49)}.`, 'key [removed].'],
  ['{"text":"the authorization of headers"}', '{"text":"the authorization of headers"}'],
])('credentials in a body are removed: %s', (text, expected) => {
  expect(hideSecrets(text)).toBe(expected);
});
