import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

let gatewayctl: Gatewayctl;
beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

const created = z.looseObject({ id: z.string(), key: z.string().regex(/^gw_admin_[0-9A-Za-z]{49}$/) });

describe('gatewayctl admin-keys', () => {
  it('creates, lists and revokes keys, and shows the secret once', async () => {
    const { id: account } = z
      .looseObject({ id: z.string() })
      .parse(await gatewayctl.json('accounts', 'create', '--email', 'ada@example.com'));
    const printed = await gatewayctl.run([
      ...['admin-keys', 'create', '--name', 'deploy', '--scopes', 'keys:write,accounts:read'],
      ...['--account', 'ada@example.com', '--expires', '30d', '--networks', '10.0.0.0/8,2001:db8::/32'],
    ]);
    expect(printed).toMatchObject({ code: 0, err: '' });
    const { key, ...shown } = created.parse(JSON.parse(printed.out));
    expect(shown).toMatchObject({
      name: 'deploy',
      prefix: key.slice(0, 16),
      scopes: ['keys:write', 'accounts:read'],
      account_id: account,
      networks: ['10.0.0.0/8', '2001:db8::/32'],
      expires_at: ISO_TIMESTAMP,
      revoked_at: null,
    });
    const all = created.parse(
      await gatewayctl.json('admin-keys', 'create', '--name', 'all', '--scopes', 'fleet:read'),
    );
    const list = z
      .array(z.looseObject({ id: z.string() }))
      .parse(await gatewayctl.json('admin-keys', 'list'));
    expect(list.map(({ id }) => id)).toEqual([all.id, shown.id]);
    expect(list[1]).toEqual(shown);
    expect(JSON.stringify(list)).not.toContain(key);
    expect(await gatewayctl.json('admin-keys', 'list', '--account', account)).toEqual([shown]);
    expect(await gatewayctl.json('admin-keys', 'revoke', shown.id)).toMatchObject({
      id: shown.id,
      revoked_at: ISO_TIMESTAMP,
    });
  });

  it.each([
    [['--scopes', 'everything'], 1],
    [['--scopes', 'keys:read', '--networks', 'home'], 1],
    [['--scopes', 'keys:read', '--account', 'nobody@example.com'], 1],
    [['--scopes', 'keys:read', '--expires', 'soon'], 2],
    [[], 2],
  ])('refuses %j', async (options, code) => {
    const outcome = await gatewayctl.run(['admin-keys', 'create', '--name', 'x', ...options]);
    expect(outcome.code).toBe(code);
    expect(outcome.out).toBe('');
  });
});
