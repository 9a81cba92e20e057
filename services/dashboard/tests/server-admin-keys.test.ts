import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { adminKeysResponse, createAdminKeyResponse } from '../wire/admin-keys.ts';
import { type Browser, newAddress, PASSWORD, refusal, signedUp, withServer } from './server-fixture.ts';

const site = withServer({ dataPlanes: 0 });

const keysOf = async (browser: Browser) => adminKeysResponse.parse(await browser.json('/api/admin-keys'));

async function createAdminKey(browser: Browser, parts: object = {}) {
  const body = { name: 'Terraform', scopes: ['keys:write'], networks: [], ...parts };
  return createAdminKeyResponse.parse(await browser.json('/api/admin-keys', { body }));
}

describe('an admin key of an account', () => {
  it('is shown once when it is created, and listed without its secret', async () => {
    const browser = await signedUp(site.server);
    const expiresAtMs = Date.now() + 86_400_000;
    const { key, rawKey } = await createAdminKey(browser, {
      scopes: ['usage:read', 'keys:write'],
      networks: ['203.0.113.0/24'],
      expiresAtMs,
    });
    expect(rawKey).toMatch(/^gw_admin_\w{49}$/);
    const response = await browser.fetch('/api/admin-keys');
    const text = await response.text();
    expect(text).not.toContain(rawKey);
    const { grantable, keys } = adminKeysResponse.parse(JSON.parse(text));
    expect(keys).toEqual([key]);
    expect(key).toMatchObject({
      name: 'Terraform',
      networks: ['203.0.113.0/24'],
      expiresAtMs,
      revokedAtMs: null,
      lastUsedAtMs: null,
    });
    expect(key.scopes.toSorted()).toEqual(['keys:write', 'usage:read']);
    expect(rawKey.startsWith(key.displayPrefix)).toBe(true);
    expect(grantable).toEqual(expect.arrayContaining(['keys:write', 'events:read', 'events:write']));
    // Of the installation.
    for (const scope of ['catalog:write', 'fleet:read']) expect(grantable).not.toContain(scope);
  });

  it('is refused with unknown scopes, none, or those of the installation', async () => {
    const browser = await signedUp(site.server);
    for (const scopes of [[], ['everything'], ['catalog:write'], ['fleet:read']]) {
      const response = await browser.post('/api/admin-keys', { name: 'Too much', scopes, networks: [] });
      expect([scopes, response.status >= 400 && response.status < 500]).toEqual([scopes, true]);
    }
    expect((await keysOf(browser)).keys).toEqual([]);
  });

  it('is revoked, by its account alone', async () => {
    const browser = await signedUp(site.server);
    const { key } = await createAdminKey(browser);
    const stranger = await signedUp(site.server);
    const path = `/api/admin-keys/${key.id}/revoke`;
    expect(await refusal(await stranger.post(path))).toEqual([404, 'not_found']);
    expect((await keysOf(stranger)).keys).toEqual([]);
    expect((await browser.post(path)).status).toBe(204);
    expect((await keysOf(browser)).keys).toMatchObject([{ id: key.id, revokedAtMs: expect.any(Number) }]);
  });

  it('is created only by somebody who has just proved who they are', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    {
      await using sql = openSql(site.gateway.databaseUrl);
      await sql.run(
        `UPDATE dashboard_sessions SET proved_at = now() - interval '11 minutes' WHERE user_id =
         (SELECT id FROM dashboard_users WHERE email = $1)`,
        email,
      );
    }
    const body = { name: 'Terraform', scopes: ['keys:read'], networks: [] };
    expect(await refusal(await browser.post('/api/admin-keys', body))).toEqual([
      403,
      'reauthentication_required',
    ]);
    await browser.post('/api/re-authentication/password', { password: PASSWORD });
    expect((await browser.post('/api/admin-keys', body)).status).toBe(201);
  });
});
