import { adminKeyToken, displayPrefix } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { adminKeyHashes } from '../../src/admin-keys/admin-key-hash.ts';
import { startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const OLD = 'old-pepper-0123456789abcdefghijklmnopq';

it('an admin key moves to the new pepper when it is used, and control planes with the old one accept it', async () => {
  await using control = await startControlPlanes({ environment: { API_KEY_LOOKUP_PEPPER_OLD: OLD } });
  const api = manage(control);
  const key = adminKeyToken.generate();
  const { lookupHash: old } = adminKeyHashes({ pepper: OLD, oldPepper: undefined }, key);
  await control.sql`
    INSERT INTO admin_keys (id, name, lookup_hash, display_prefix, scopes)
    VALUES ('adm_old', 'old', ${old}, ${displayPrefix(key)}, ${['accounts:read']})`;
  expect((await api.get('/admin/v1/admin_keys', { key })).status).toBe(200);
  const stored = async () => (await control.sql`SELECT * FROM admin_keys WHERE id = 'adm_old'`)[0];
  await expect.poll(async () => (await stored())?.previous_lookup_hash).toBe(old);
  expect((await stored())?.lookup_hash).not.toBe(old);
  expect((await api.get('/admin/v1/admin_keys', { key })).status).toBe(200);
});
