import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../src/scim/schema-names.ts';
import { SCIM_ROUTES } from '../../src/scim-http/scim-router.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { ADMIN_TOKEN, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { connectProvider, type IdentityProvider, PATCH_SCHEMA, userBody } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes({
  overrides: { adminRates: { requestsPerMinute: 10_000, failuresPerMinute: 10_000 } },
});
const fresh = () => randomUUID().slice(0, 13);
const email = () => `${fresh()}@example.com`;

/** Tokens that are bound to an account, to another one, or to none; and one of another provider. */
let own: IdentityProvider;
let others: IdentityProvider[];
/** Nobody, and what is no SCIM token in force. */
let strangers: string[];

beforeAll(async () => {
  const [account, foreign, suspended] = [
    await insertAccount(control, 'own'),
    await insertAccount(control, 'foreign'),
    await insertAccount(control, 'suspended'),
  ];
  own = await connectProvider(control, { account });
  others = [
    await connectProvider(control, { account: foreign }),
    await connectProvider(control),
    await connectProvider(control, { account, name: 'entra' }),
  ];
  const revoked = await connectProvider(control, { account });
  await control.admin('scim', 'revokeScimToken', { tokenId: revoked.tokenId });
  const ofSuspended = await connectProvider(control, { account: suspended });
  await control.sql`UPDATE accounts SET suspended_at = now() WHERE id = ${suspended}`;
  const api = manage(control);
  const [all, bound] = [await api.insertKey(), await api.insertKey({ accountId: account })];
  const { rawKey } = await control.admin('accounts', 'createKey', { account, name: 'models' });
  const tokens = [all.key, bound.key, rawKey, revoked.token, ofSuspended.token, ADMIN_TOKEN, INTERNAL_TOKEN];
  strangers = ['', ...tokens.map((token) => `Bearer ${token}`), own.token];
});

type Call = [path: string, body?: object];
const user = () => own.createUser(email());
const group = () => own.createGroup(fresh(), []);
const groupBody = () => ({ schemas: [SCHEMA.group], displayName: fresh(), members: [] });
const patch = { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', path: 'displayName', value: 'New' }] };

/** Requests about a new user or group of an account, by method and path. */
const CASES: Record<string, () => Promise<Call> | Call> = {
  'GET /ServiceProviderConfig': () => ['/ServiceProviderConfig'],
  'GET /ResourceTypes': () => ['/ResourceTypes'],
  'GET /ResourceTypes/:id': () => ['/ResourceTypes/User'],
  'GET /Schemas': () => ['/Schemas'],
  'GET /Schemas/:id': () => [`/Schemas/${SCHEMA.user}`],
  'GET /Users': () => ['/Users'],
  'POST /Users': () => ['/Users', userBody(email())],
  'GET /Users/:id': async () => [`/Users/${await user()}`],
  'PUT /Users/:id': async () => [`/Users/${await user()}`, userBody(email())],
  'PATCH /Users/:id': async () => [`/Users/${await user()}`, patch],
  'DELETE /Users/:id': async () => [`/Users/${await user()}`],
  'GET /Groups': () => ['/Groups'],
  'POST /Groups': () => ['/Groups', groupBody()],
  'GET /Groups/:id': async () => [`/Groups/${await group()}`],
  'PUT /Groups/:id': async () => [`/Groups/${await group()}`, groupBody()],
  'PATCH /Groups/:id': async () => [`/Groups/${await group()}`, patch],
  'DELETE /Groups/:id': async () => [`/Groups/${await group()}`],
};
const ROUTES = SCIM_ROUTES.map(({ method, path }) => ({ method: method.toUpperCase(), path }));
const nameOf = ({ method, path }: (typeof ROUTES)[number]) => `${method} ${path}`;

it('every route of SCIM has a case, and every case a route', () => {
  expect(Object.keys(CASES)).toEqual(ROUTES.map(nameOf));
});

describe.each(ROUTES.map((route) => ({ ...route, name: nameOf(route) })))(
  '$name',
  ({ method, name, path }) => {
    const next = async (): Promise<Call> => (await CASES[name]?.()) ?? [''];

    it('needs a SCIM token in force', async () => {
      const [sent, body] = await next();
      for (const authorization of strangers)
        expect((await own.send(method, sent, body, { authorization })).status).toBe(401);
    });

    it('allows the provider of a user or group, and answers 404 to others', async () => {
      const [sent, body] = await next();
      const isOfProvider = /^\/(Users|Groups)\/:id$/.test(path);
      for (const each of others) {
        const { status } = await each.send(method, sent, body);
        if (isOfProvider) expect(status).toBe(404);
        else if (method === 'GET') expect(status).toBe(200);
      }
      const { status } = await own.send(...[method, ...(await next())]);
      expect(status).toBeLessThan(300);
      if (isOfProvider && method !== 'DELETE') expect((await own.send('GET', sent)).status).toBe(200);
    });
  },
);

it('lists and filters find only what the provider has made, and groups take only its users', async () => {
  const address = email();
  const id = await own.createUser(address);
  await own.createGroup(address, [id]);
  for (const each of others) {
    expect(await each.find('Users', `userName eq "${address}"`)).toMatchObject({ totalResults: 0 });
    expect(await each.find('Groups', `displayName eq "${address}"`)).toMatchObject({ totalResults: 0 });
    const made = await each.createGroup(fresh());
    await each.patch(`/Groups/${made}`, { op: 'add', path: 'members', value: [{ value: id }] });
    const { body } = await each.send('GET', `/Groups/${made}`);
    expect(body.members ?? []).toEqual([]);
  }
});
