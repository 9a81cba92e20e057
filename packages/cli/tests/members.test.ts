import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

const ACCOUNT = 'team@example.com';
const ADA = 'ada@example.com';

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.json('accounts', 'create', '--email', ACCOUNT);
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl members', () => {
  it('adds, lists, changes and removes the members of an account', async () => {
    const added = {
      ...{ id: expect.stringMatching(/^mem_/), account_id: expect.stringMatching(/^acct_/), email: ADA },
      ...{ name: 'Ada', role: 'developer', status: 'added', source: 'operator' },
      ...{ created_at: ISO_TIMESTAMP, expires_at: null, stopped_at: null, stopped_by: null },
    };
    const person = ['--email', ADA, '--name', 'Ada', '--role', 'developer'];
    expect(await gatewayctl.json('members', 'add', ACCOUNT, ...person)).toEqual(added);
    expect(await gatewayctl.json('members', 'list', '--account', ACCOUNT)).toEqual([added]);
    const member = ['--account', ACCOUNT, '--member', ADA];
    const changed = await gatewayctl.json('members', 'change', ...member, '--role', 'admin');
    expect(changed).toEqual({ ...added, role: 'admin' });
    const { out } = await gatewayctl.run(['members', 'list', ACCOUNT]);
    expect(out).toMatch(/^ID +EMAIL +ROLE +STATUS +SOURCE +CREATED\n/);
    expect(out).toMatch(/^mem_\w+ +ada@example.com +admin +added +operator +\d{4}-.*Z$/m);
    expect(await gatewayctl.json('members', 'remove', ...member)).toEqual({
      ...{ ...added, role: 'admin', status: 'removed' },
      ...{ revoked_key_ids: [], unconfirmed_instances: [] },
    });
    expect(await gatewayctl.json('members', 'list', ACCOUNT)).toEqual([]);
  });

  it('invites an address, and prints the token once', async () => {
    const invite = ['members', 'invite', ACCOUNT, '--email', ADA, '--role', 'viewer'];
    expect(await gatewayctl.json(...invite)).toMatchObject({
      ...{ email: ADA, status: 'invited', expires_at: ISO_TIMESTAMP },
      ...{ token: expect.stringMatching(/^[\w-]{43}$/) },
    });
    const { err, out } = await gatewayctl.run(invite);
    expect(out).toMatch(/[\w-]{43}\n$/);
    expect(err).toContain(`for ${ADA}; works once`);
    const listed = JSON.stringify(await gatewayctl.json('members', 'list', ACCOUNT));
    expect(listed).toContain('"invited"');
    expect(listed).not.toContain('token');
  });

  it('refuses an unknown role', async () => {
    const outcome = await gatewayctl.run(['members', 'add', ACCOUNT, '--email', ADA, '--role', 'root']);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('role must be one of viewer, developer, admin, owner, not "root"');
  });
});

describe('gatewayctl roles', () => {
  it('grants, lists and revokes roles in the installation', async () => {
    const role = { email: ADA, role: 'auditor', source: 'operator', created_at: ISO_TIMESTAMP };
    const options = ['--email', ADA, '--role', 'auditor'];
    expect(await gatewayctl.json('roles', 'grant', ...options)).toEqual(role);
    expect(await gatewayctl.json('roles', 'list')).toEqual([role]);
    expect((await gatewayctl.run(['roles', 'list'])).out).toMatch(/^ada@example.com +auditor +operator +/m);
    expect(await gatewayctl.json('roles', 'revoke', ...options)).toEqual({ ...role, status: 'revoked' });
    expect(await gatewayctl.json('roles', 'list')).toEqual([]);
    expect((await gatewayctl.run(['roles', 'revoke', ...options])).code).toBe(1);
  });
});
