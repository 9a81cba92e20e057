import { openSql } from '@model-gateway/test-kit/open-sql';
import { expect, it } from 'vitest';
import { sessionResponse } from '../wire/session.ts';
import { Browser, createKey, newAddress, signedUp, withServer } from './server-fixture.ts';

const TIMEOUT_MS = 30_000;

const site = withServer({ dataPlanes: 0 });

async function userOf(browser: Browser) {
  return sessionResponse.parse(await browser.json('/api/session')).user;
}

/** Signs somebody up with a role in the installation. */
async function signedUpAs(role: string): Promise<{ browser: Browser; email: string }> {
  const email = newAddress();
  await signedUp(site.server, email);
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  await site.gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', { email, role });
  const browser = new Browser(site.server);
  await browser.signIn(email);
  return { browser, email };
}

it('an operator views an account, can change nothing in it, and leaves it', async () => {
  const holder = await signedUp(site.server);
  await createKey(holder, 'Of the holder');
  const viewed = await userOf(holder);
  const { browser } = await signedUpAs('operator');
  const own = await userOf(browser);
  expect(own).toMatchObject({ viewing: null, installationRole: 'operator' });

  const accountId = viewed?.accountId;
  expect((await browser.post('/api/session/view', { accountId })).status).toBe(204);
  expect(await userOf(browser)).toMatchObject({
    ...{ accountId, role: 'owner', email: own?.email },
    viewing: { email: viewed?.email },
  });
  expect(await browser.json('/api/keys')).toMatchObject({ keys: [{ name: 'Of the holder' }] });
  expect((await browser.post('/api/keys', { name: 'Of the operator' })).status).toBe(403);
  expect((await browser.post('/api/teams', { name: 'Of the operator' })).status).toBe(403);

  expect((await browser.post('/api/session/view/end')).status).toBe(204);
  expect(await userOf(browser)).toMatchObject({ accountId: own?.accountId, viewing: null });
  expect(await browser.json('/api/keys')).toMatchObject({ keys: [] });
});

it('a user without a role in the installation cannot view another account', async () => {
  const holder = await signedUp(site.server);
  const stranger = await signedUp(site.server);
  const accountId = (await userOf(holder))?.accountId;
  expect((await stranger.post('/api/session/view', { accountId })).status).toBe(403);
  expect(await userOf(stranger)).toMatchObject({ viewing: null });
});

it('a user who loses the role can no longer view accounts', async () => {
  const holder = await signedUp(site.server);
  const { browser, email } = await signedUpAs('auditor');
  const accountId = (await userOf(holder))?.accountId;
  expect((await browser.post('/api/session/view', { accountId })).status).toBe(204);
  await site.gateway.admin.call(TIMEOUT_MS, 'members', 'revokeRole', { email, role: 'auditor' });
  expect((await browser.fetch('/api/keys')).status).toBe(404);
  expect(await userOf(browser)).toMatchObject({ viewing: null });
});

it('a view ends for good with the role, with the account, and with the choice of an own account', async () => {
  const holder = await signedUp(site.server);
  const { browser, email } = await signedUpAs('auditor');
  const accountId = (await userOf(holder))?.accountId;
  const own = (await userOf(browser))?.accountId;
  const view = async () => expect((await browser.post('/api/session/view', { accountId })).status).toBe(204);
  const viewing = async () => (await userOf(browser))?.viewing;
  const role = { email, role: 'auditor' };

  await view();
  await site.gateway.admin.call(TIMEOUT_MS, 'members', 'revokeRole', role);
  expect(await viewing()).toBeNull();
  await site.gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', role);
  expect(await viewing()).toBeNull();

  await view();
  expect((await browser.post('/api/session/account', { accountId: own })).status).toBe(204);
  expect(await viewing()).toBeNull();

  await view();
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run('UPDATE accounts SET deleted_at = now() WHERE id = $1', accountId);
  expect(await viewing()).toBeNull();
  expect((await browser.fetch('/api/keys')).status).toBe(200);
});

it('a session says whose account it shows, or fails, but never names another account', async () => {
  const holder = await signedUp(site.server);
  const { browser } = await signedUpAs('auditor');
  const accountId = (await userOf(holder))?.accountId;
  expect((await browser.post('/api/session/view', { accountId })).status).toBe(204);
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run('ALTER TABLE accounts RENAME external_id TO no_id');
  try {
    expect((await browser.fetch('/api/session')).status).toBe(503);
  } finally {
    await sql.run('ALTER TABLE accounts RENAME no_id TO external_id');
  }
  expect(await userOf(browser)).toMatchObject({ accountId });
});
