import { randomUUID } from 'node:crypto';
import { includesScope, SCOPES, type Scope } from '@model-gateway/shared/access';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/management/routes/index.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { type Answer, manage } from '../fixtures/management-fixture.ts';
import { type OwningAccount, objectsOf } from '../fixtures/roles-fixture.ts';
import { type Ask, routeCases, type Sent } from '../fixtures/route-cases.ts';
import { connectProvider } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes({
  overrides: { adminRates: { requestsPerMinute: 1_000_000, failuresPerMinute: 1_000_000 } },
});
const api = manage(control);
const cases = routeCases(control);
let foreign: OwningAccount;

const newAccount = async (): Promise<OwningAccount> => ({ id: await insertAccount(control, randomUUID()) });

async function scoped(scopes: readonly Scope[], accountId?: string): Promise<string> {
  return (await api.insertKey({ scopes, ...(accountId !== undefined && { accountId }) })).key;
}

/** Raw keys with one scope each. */
let byScope: Map<Scope, string>;
let readsAll: { id: string; key: string };
let elsewhere: string;
/** Nobody, and what is no admin key in force. */
let strangers: (string | null)[];

beforeAll(async () => {
  foreign = await newAccount();
  const make = objectsOf(control, foreign);
  await Promise.all([make.key(), make.request(), make.seat(), make.pool(), make.adminKey(), make.event()]);
  byScope = new Map(await Promise.all(SCOPES.map(async (each) => [each, await scoped([each])] as const)));
  readsAll = await api.insertKey({ scopes: READING });
  elsewhere = (await api.insertKey({ networks: ['192.0.2.0/24'] })).key;
  const { rawKey } = await control.admin('accounts', 'createKey', { account: 'acct_test', name: 'models' });
  const revoked = await api.insertKey();
  await api.delete(`/admin/v1/admin_keys/${revoked.id}`);
  const expired = await api.insertKey({ expiresAt: new Date(Date.now() - 1_000) });
  const { token } = await connectProvider(control);
  strangers = [null, rawKey, revoked.key, expired.key, token];
});

const READING = SCOPES.filter((each) => each.endsWith(':read'));
const routeName = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

it('every route has a case, and every case a route', () => {
  expect(Object.keys(cases)).toEqual(ROUTES.map(routeName));
});

it('a route that reads needs a scope to read, and one that changes something a scope to write', () => {
  const others = ROUTES.filter(({ method, scope }) => scope?.endsWith(method === 'GET' ? 'write' : 'read'));
  expect(others.map(routeName)).toEqual([
    'POST /admin/v1/accounts/:id/view',
    'POST /admin/v1/catalog/plan',
    // Contents of requests need a scope that nobody has by accident.
    'GET /admin/v1/receipts/:id/contents',
    'POST /admin/v1/audit_log/verifications',
    'POST /admin/v1/ledger/verify',
    'POST /admin/v1/ledger/verifications',
  ]);
});

describe.each(ROUTES.map((route) => ({ route, name: routeName(route) })))('$name', ({ name, route }) => {
  const { asks, filters = [], scope = route.scope } = cases[name] ?? { asks: [() => ''] };
  const isForAll = route.isInstallationWide === true;
  const isAllowed = (scopes: readonly Scope[]) => scope === undefined || includesScope(scopes, scope);

  const send = (sent: Sent, key: string | null): Promise<Answer> => {
    const [path, body] = typeof sent === 'string' ? [sent] : sent;
    return api.send(route.method, path, { body, key, headers: { 'if-match': '*' } });
  };
  const askOwn = async (key: string, ask: Ask = asks[0], own?: OwningAccount) => {
    const account = own ?? (await newAccount());
    return await send(await ask(account, account), key);
  };

  it('needs an admin key in force', async () => {
    const sent = await asks[0](foreign, foreign);
    for (const key of strangers) expect((await send(sent, key)).status).toBe(401);
    expect((await send(sent, elsewhere)).status).toBe(403);
  });

  it(`needs ${scope === undefined ? 'no scope' : `the scope ${scope}, and no other`}`, async () => {
    const sent = await asks[0](foreign, foreign);
    const statusWith = async (key: string, scopes: readonly Scope[]) =>
      (isAllowed(scopes) ? await askOwn(key) : await send(sent, key)).status;
    // A key of the whole installation, where the route needs one of the account.
    const statusOfAllowed = route.isOfAccount === true ? 403 : route.status;
    const expected = (scopes: readonly Scope[]) => (isAllowed(scopes) ? statusOfAllowed : 403);
    await Promise.all(
      [...byScope].map(async ([each, key]) => {
        expect([each, await statusWith(key, [each])]).toEqual([each, expected([each])]);
      }),
    );
    expect(await statusWith(readsAll.key, READING)).toBe(expected(READING));
    const others = SCOPES.filter((each) => !isAllowed([each]));
    if (others.length > 0) expect((await send(sent, await scoped(others))).status).toBe(403);
    for (const ask of asks) expect((await askOwn(await scoped(SCOPES), ask)).status).toBe(statusOfAllowed);
  });

  it('with a key that is bound to an account, knows only what that account has', async () => {
    for (const ask of [...asks, ...filters]) {
      const own = await newAccount();
      const key = await scoped(SCOPES, own.id);
      const sent = await ask(foreign, own);
      const namesNothing = JSON.stringify(sent) === JSON.stringify(await ask(own, own));
      const before = await changesOf(foreign);
      const answer = await send(sent, key);
      if (isForAll) expect(answer.status).toBe(403);
      else if (namesNothing || filters.includes(ask)) {
        expect(answer.status).toBe(route.status);
        for (const [id] of JSON.stringify([sent, foreign]).matchAll(/\b(acct|key|seat|team)_[\w-]+/g))
          if (id !== own.id) expect(JSON.stringify(answer.body)).not.toContain(id);
      } else expect(answer.status).toBe(404);
      expect(await changesOf(foreign)).toEqual(before);
      // Last, because it may end the account.
      expect((await askOwn(key, ask, own)).status).toBe(isForAll ? 403 : route.status);
    }
  });

  it('is closed to the keys of a suspended account', async () => {
    const own = await newAccount();
    const key = await scoped(SCOPES, own.id);
    await control.sql`UPDATE accounts SET suspended_at = now() WHERE id = ${own.id}`;
    expect((await askOwn(key, asks[0], own)).status).toBe(403);
  });
});

const changesOf = ({ id }: OwningAccount) =>
  control.sql`SELECT id FROM audit_events WHERE account_id = ${id} AND way <> 'system' AND outcome = 'done'`;

it('a key that may only read has changed nothing: a look alone is recorded', async () => {
  expect(
    await control.sql`
      SELECT DISTINCT action FROM audit_events WHERE actor->>'id' = ${readsAll.id} AND outcome = 'done'`,
  ).toEqual([{ action: 'account.viewed' }]);
});
