import { isWellFormedApiKey } from '@model-gateway/shared';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl keys old-pepper', () => {
  it('lists the active keys that are still hashed with the old pepper', async () => {
    const nothing = { total: 0, keys: [] };
    expect(await gatewayctl.json('keys', 'old-pepper')).toEqual(nothing);
    await gatewayctl.run(['accounts', 'create', '--email', 'pepper@example.com']);
    await gatewayctl.run(['keys', 'create', 'pepper@example.com', '--name', 'old']);
    await runSql(gatewayctl.databaseUrl, `UPDATE api_keys SET pepper_fingerprint = 'of another one'`);
    expect(await gatewayctl.json('keys', 'old-pepper')).toMatchObject({ total: 1, keys: [{ name: 'old' }] });
    const { out } = await gatewayctl.run(['keys', 'old-pepper']);
    expect(out).toMatch(/^1 active keys are still hashed with the old pepper$/m);
    const [{ id }] = z
      .tuple([z.object({ id: z.string() })])
      .parse(await gatewayctl.json('keys', 'list', 'pepper@example.com'));
    await gatewayctl.run(['keys', 'revoke', id]);
    expect(await gatewayctl.json('keys', 'old-pepper')).toEqual(nothing);
  });
});

describe('gatewayctl', () => {
  it('creates accounts and lists them', async () => {
    const account = await gatewayctl.json(
      'accounts',
      'create',
      '--email',
      'Ada@Example.com',
      '--name',
      'Ada',
    );
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_/),
      price_list_id: null,
      email: 'ada@example.com',
      name: 'Ada',
      status: 'active',
      created_at: ISO_TIMESTAMP,
      timezone: 'UTC',
      week_starts: 'monday',
    });
    expect(await gatewayctl.json('accounts', 'list')).toContainEqual({
      ...Object(account),
      left_usd: '0.000000000',
      unlimited: false,
    });

    const { code, out } = await gatewayctl.run(['accounts', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ID +EMAIL +NAME +LEFT USD +CREATED +STATUS\n/);
    expect(out).toMatch(/^acct_\w+ +ada@example\.com +Ada +0\.00 +\d{4}-.*Z +active$/m);
  });

  it('creates an account without a name', async () => {
    expect(await gatewayctl.json('accounts', 'create', '--email', 'noname@example.com')).toMatchObject({
      email: 'noname@example.com',
    });
  });

  it('prints only the new key on standard output, and a warning that it is shown once on standard error', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'alone@example.com']);
    const { code, out, err } = await gatewayctl.run([
      ...['keys', 'create', '--account', 'alone@example.com', '--name', 'ci'],
    ]);
    expect(code).toBe(0);
    expect(out.endsWith('\n')).toBe(true);
    expect(isWellFormedApiKey(out.slice(0, -1))).toBe(true);
    expect(err).toMatch(/^key_\w+ \(ci\): shown once; it cannot be recovered\n$/);
  });

  it('creates keys that expire after a time, or at a moment', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'expiring@example.com']);
    const create = (expires: string) => [
      ...['keys', 'create', 'expiring@example.com', '--name', 'temporary', '--expires', expires],
    ];
    const expiry = z.object({ expires_at: z.string() });
    const { expires_at } = expiry.parse(await gatewayctl.json(...create('30d')));
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
    expect(expiry.parse(await gatewayctl.json(...create('2030-12-31')))).toEqual(
      expect.objectContaining({ expires_at: '2030-12-31T00:00:00.000Z' }),
    );
    expect(await gatewayctl.run(create('2030-12-31T18:00:00Z'))).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        /^key_\w+ \(temporary\): shown once; .*; expires at 2030-12-31T18:00:00\.000Z\n$/,
      ),
    });
    expect(await gatewayctl.run(create('2020-01-01'))).toMatchObject({ code: 1, out: '' });
    for (const wrong of ['soon', '30', '30x', '2026-02-30']) {
      const { code, out } = await gatewayctl.run(create(wrong));
      expect({ wrong, code, out }).toEqual({ wrong, code: wrong === '30' ? 1 : 2, out: '' });
    }
    expect(await gatewayctl.json('keys', 'list', 'expiring@example.com')).toHaveLength(3);
  });

  it('creates, lists and revokes keys, and shows the raw key only once', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'life@example.com']);
    const created = await gatewayctl.json(
      'keys',
      'create',
      '--account',
      'life@example.com',
      '--name',
      'laptop',
    );
    const active = {
      id: expect.stringMatching(/^key_/),
      account_id: expect.stringMatching(/^acct_/),
      name: 'laptop',
      prefix: expect.stringMatching(/^gw_live_\w{8}$/),
      status: 'active',
      created_at: ISO_TIMESTAMP,
      expires_at: null,
      revoked_at: null,
    };
    expect(created).toEqual({ ...active, key: expect.stringMatching(/^gw_live_\w{49}$/) });
    expect(await gatewayctl.json('keys', 'list', '--account', 'life@example.com')).toEqual([active]);

    const { id } = z.object({ id: z.string() }).parse(created);
    const revoked = { ...active, status: 'revoked', revoked_at: ISO_TIMESTAMP };
    expect(await gatewayctl.json('keys', 'revoke', id)).toEqual({ ...revoked, unconfirmed_instances: [] });
    expect(await gatewayctl.json('keys', 'list', '--account', 'life@example.com')).toEqual([revoked]);

    const again = await gatewayctl.run(['keys', 'revoke', id]);
    expect(again).toEqual({ code: 0, out: `${id} revoked; refused everywhere from now on\n`, err: '' });
    const { out } = await gatewayctl.run(['keys', 'list', '--account', 'life@example.com']);
    expect(out).toMatch(/^key_\w+ +laptop +gw_live_\w{8} +revoked +\d{4}-.*Z +\d{4}-.*Z +-$/m);
  });

  it('names the lines of a log that it could not read for revocations', async () => {
    const cut = '{"msg":"key revoked","key_id":"key_1","revo';
    const log = `${JSON.stringify({ msg: 'key revoked', key_id: 'key_none' })}\n${cut}\n`;
    const { code, out, err } = await gatewayctl.run(['keys', 'revoke', '--from-log', '-'], log);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/0 of 1 logged keys revoked\n$/) });
    expect(err).toMatch(/^NOT READ: 1 line that may report a revocation \(2\); /);
  });

  it('prints an error of the control plane on one line, with exit code 1', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'twice@example.com']);
    const failures = [
      ['accounts', 'create', '--email', 'twice@example.com'],
      ['accounts', 'create', '--email', 'not an address'],
      ['keys', 'create', '--account', 'nobody@example.com', '--name', 'x'],
      ['keys', 'list', '--account', 'acct_nobody'],
      ['keys', 'revoke', 'key_nothing'],
    ];
    for (const args of failures) {
      const { code, out, err } = await gatewayctl.run(args);
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(err).toMatch(/^gatewayctl: \S.+\n$/);
      expect(err).not.toContain('unexpected');
    }
  });

  it('shows the state of the installation', async () => {
    expect(await gatewayctl.json('status')).toEqual({
      version: expect.any(String),
      uptime_seconds: expect.any(Number),
      key_revision: expect.any(Number),
      catalog_revision: expect.any(Number),
      accounts: expect.any(Number),
      active_keys: expect.any(Number),
      providers: 0,
      models: 0,
      data_planes: [],
      credentials: [],
      waiting: [],
      health: { sentence: 'Nothing is known to be wrong.', providers: [], models: [] },
    });
    const { code, out } = await gatewayctl.run(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/^catalog +revision \d+: 0 providers, 0 models$/m);
  });
});
