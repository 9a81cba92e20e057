import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  CLIENT,
  type IdentityProvider,
  signInAs,
  startIdentityProvider,
} from './identity-provider-fixture.ts';
import { Browser, newAddress, type Server, startServerOf } from './server-fixture.ts';

const placeRows = z.array(z.object({ place: z.string() }));
const COMPANY = 'company@example.com';

let gateway: TestGateway;
let provider: IdentityProvider;
let server: Server;
beforeAll(async () => {
  gateway = await startGateway({
    dataPlanes: 0,
    ssoGroups: JSON.stringify([
      { group: 'admins', account: COMPANY, role: 'admin' },
      { group: 'devs', account: COMPANY, role: 'developer' },
      { group: 'ops', provider: 'entra', installation: 'operator' },
      { group: 'ops', provider: 'google', installation: 'auditor' },
    ]),
  });
  await gateway.admin.call(30_000, 'accounts', 'createAccount', { email: COMPANY, name: 'Company' });
  provider = await startIdentityProvider({ id: 'entra' });
  server = await startServerOf(gateway, {
    OIDC_PROVIDERS: 'entra',
    OIDC_ENTRA_ISSUER: provider.issuer,
    OIDC_ENTRA_CLIENT_ID: CLIENT.id,
    OIDC_ENTRA_CLIENT_SECRET: CLIENT.secret,
  });
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
  await gateway?.close();
});

/** Signs in at the provider. @returns roles in the company and in the installation */
async function rolesAfter(email: string, groups: string[] | undefined, verified = 'true') {
  const login = `${email}|${email}|${verified}`;
  if (groups === undefined) provider.groups.delete(login);
  else provider.groups.set(login, groups);
  expect(await signInAs(new Browser(server), login)).toBe('/dashboard/usage');
  await using sql = openSql(gateway.databaseUrl);
  const rows = await sql.rows(
    `SELECT role || ' by ' || source AS place FROM account_members WHERE email = $1
     UNION ALL SELECT role || ' by ' || source FROM installation_roles WHERE email = $1 ORDER BY 1`,
    email,
  );
  return placeRows.parse(rows).map(({ place }) => place);
}

describe('groups of a sign-in', () => {
  it('give roles in accounts and in the installation, and take away what they gave', async () => {
    const email = newAddress();
    expect(await rolesAfter(email, ['devs', 'others'])).toEqual(['developer by oidc:entra']);
    expect(await rolesAfter(email, ['devs', 'ADMINS', 'ops'])).toEqual([
      'admin by oidc:entra',
      'operator by oidc:entra',
    ]);
    expect(await rolesAfter(email, ['devs'])).toEqual(['developer by oidc:entra']);
    expect(await rolesAfter(email, undefined)).toEqual([]);
  });

  it('leave roles unchanged that a person gave', async () => {
    const email = newAddress();
    await gateway.admin.call(30_000, 'members', 'addMember', { account: COMPANY, email, role: 'viewer' });
    await gateway.admin.call(30_000, 'members', 'grantRole', { email, role: 'auditor' });
    const given = ['auditor by operator', 'operator by oidc:entra', 'viewer by operator'];
    expect(await rolesAfter(email, ['admins', 'ops'])).toEqual(given);
    expect(await rolesAfter(email, [])).toEqual(['auditor by operator', 'viewer by operator']);
  });

  it('give nothing to somebody whose address is not proven', async () => {
    expect(await rolesAfter(newAddress(), ['admins', 'ops'], 'false')).toEqual([]);
  });
});

describe('a discovery document that cannot be used', () => {
  it('is logged with its URL and the cause', async () => {
    await using broken = await startServerOf(gateway, {
      OIDC_PROVIDERS: 'refused,wrong',
      OIDC_REFUSED_ISSUER: 'http://127.0.0.1:9',
      OIDC_REFUSED_CLIENT_ID: 'x',
      OIDC_REFUSED_CLIENT_SECRET: 'x',
      OIDC_WRONG_ISSUER: `${provider.issuer}/wrong`,
      OIDC_WRONG_CLIENT_ID: 'x',
      OIDC_WRONG_CLIENT_SECRET: 'x',
    });
    await until(async () => {
      const log = broken.logText();
      expect(log).toContain('"discovery_url":"http://127.0.0.1:9/.well-known/openid-configuration"');
      expect(log).toContain(`"discovery_url":"${provider.issuer}/wrong/.well-known/openid-configuration"`);
      expect(log).toContain('status 404');
      return true;
    });
  });
});
