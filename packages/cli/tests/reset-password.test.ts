import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, runWith, startGatewayctl } from './gatewayctl-fixture.ts';

const TOKEN = /^[\w-]{43}$/;

let gatewayctl: Gatewayctl;
let dataDir: string;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  dataDir = gatewayctl.folder;
  gatewayctl.file(
    'dev.json',
    JSON.stringify({
      control_plane_address: gatewayctl.environment.CONTROL_PLANE_ADDRESS,
      admin_token: gatewayctl.environment.ADMIN_TOKEN,
      dashboard_url: 'http://127.0.0.1:3000',
    }),
  );
  await gatewayctl.json('accounts', 'create', '--email', 'ada@example.com');
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl accounts reset-password', () => {
  it("prints a link and its expiry if the dashboard's URL is known", async () => {
    const withUrl = { ...gatewayctl.environment, PUBLIC_URL: 'https://gateway.example.com/' };
    const args = ['accounts', 'reset-password', 'Ada@example.com'];
    const { code, out, err } = await runWith(withUrl, args);
    expect(code).toBe(0);
    expect(out).toMatch(/^https:\/\/gateway\.example\.com\/reset-password#token=[\w-]{43}\n$/);
    expect(err).toMatch(/^for ada@example\.com; works once, until \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    const local = await runWith({}, ['--data-dir', dataDir, ...args]);
    expect(local.out).toMatch(/^http:\/\/127\.0\.0\.1:3000\/reset-password#token=[\w-]{43}\n$/);
  });

  it("prints the token and where to use it if the dashboard's URL is unknown", async () => {
    const { code, out, err } = await gatewayctl.run(['accounts', 'reset-password', 'ada@example.com']);
    expect(code).toBe(0);
    expect(out.slice(0, -1)).toMatch(TOKEN);
    expect(err).toMatch(
      /works once, until .*Z; open <.*>\/reset-password#token=<this token>, or set PUBLIC_URL/,
    );
    // The file of this directory belongs to another gateway.
    const elsewhere = await runWith(gatewayctl.environment, [
      ...['--data-dir', dataDir, 'accounts', 'reset-password', 'ada@example.com'],
    ]);
    expect(elsewhere.out.slice(0, -1)).toMatch(TOKEN);
  });

  it('prints account, token, link and expiry as JSON', async () => {
    const reset = await gatewayctl.json('accounts', 'reset-password', 'ada@example.com');
    expect(reset).toEqual({
      account_id: expect.stringMatching(/^acct_/),
      email: 'ada@example.com',
      token: expect.stringMatching(TOKEN),
      url: null,
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { out } = await runWith({}, [
      ...['--data-dir', dataDir, '--json', 'accounts', 'reset-password', 'ada@example.com'],
    ]);
    expect(JSON.parse(out)).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/reset-password#token=[\w-]{43}$/),
    });
  });

  it('revokes the keys of an account that somebody has signed in to, unless an option decides otherwise', async () => {
    const name = 'grace@example.com';
    const id = await gatewayctl.id('accounts', 'create', '--email', name);
    const reset = (...options: string[]) => gatewayctl.run(['accounts', 'reset-password', name, ...options]);
    const statuses = async () =>
      z
        .array(z.object({ status: z.string() }))
        .parse(await gatewayctl.json('keys', 'list', '--account', name))
        .map(({ status }) => status);
    await gatewayctl.run(['keys', 'create', '--account', id, '--name', 'app']);
    // Nobody has signed in to the account yet, so the operator has made the key.
    await reset();
    expect(await statuses()).toEqual(['active']);
    await using sql = openSql(gatewayctl.databaseUrl);
    const signIn = () => sql.run(`UPDATE accounts SET sign_in_id = 'somebody' WHERE id = $1`, id);
    await signIn();
    await reset('--no-revoke-keys');
    expect(await statuses()).toEqual(['active']);
    await signIn();
    const { code, err } = await reset();
    expect(code).toBe(0);
    expect(err).toMatch(/works once.*; revoked key_\w+\n$/);
    expect(await statuses()).toEqual(['revoked']);
    await gatewayctl.run(['keys', 'create', '--account', id, '--name', 'app 2']);
    expect(await gatewayctl.json('accounts', 'reset-password', name, '--revoke-keys')).toMatchObject({
      revoked_key_ids: [expect.stringMatching(/^key_/)],
      unconfirmed_instances: [],
    });
    expect(await statuses()).toEqual(['revoked', 'revoked']);
  });

  it('reports an unknown account, and a PUBLIC_URL that is not a URL', async () => {
    const unknown = await gatewayctl.run(['accounts', 'reset-password', 'nobody@example.com']);
    expect(unknown).toEqual({
      code: 1,
      out: '',
      err: 'gatewayctl: there is no account nobody@example.com\n',
    });
    const wrong = { ...gatewayctl.environment, PUBLIC_URL: 'gateway.example.com' };
    const { code, err } = await runWith(wrong, ['accounts', 'reset-password', 'ada@example.com']);
    expect(code).toBe(1);
    expect(err).toMatch(/^gatewayctl: PUBLIC_URL: /);
  });
});
