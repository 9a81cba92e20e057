import { startGateway, TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ISO_TIMESTAMP, runWith } from './gatewayctl-fixture.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
});
afterAll(() => gateway.close());

const created = z.looseObject({ id: z.string(), token: z.string() });

function gatewayctl(args: readonly string[]) {
  return runWith(
    {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    },
    args,
  );
}

async function statusWith(token: string): Promise<number> {
  const url = `http://127.0.0.1:${gateway.controlPlanes[0]?.adminPort}/scim/v2/Users`;
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe('scim-tokens', () => {
  it('create prints id and token once, list shows neither token, and revoke ends it', async () => {
    const { code, out } = await gatewayctl(['scim-tokens', 'create', '--name', 'okta']);
    const { id, token } = created.parse(JSON.parse(out));
    expect({ code, token }).toEqual({ code: 0, token: expect.stringMatching(/^gw_scim_[0-9A-Za-z]{49}$/) });
    expect(await statusWith(token)).toBe(200);
    const listed = await gatewayctl(['scim-tokens', 'list', '--json']);
    expect(JSON.parse(listed.out)).toEqual([
      {
        id,
        name: 'okta',
        prefix: token.slice(0, 16),
        account_id: null,
        status: 'active',
        created_at: ISO_TIMESTAMP,
        last_used_at: expect.anything(),
      },
    ]);
    expect((await gatewayctl(['scim-tokens', 'list'])).out).not.toContain(token);
    const revoked = await gatewayctl(['scim-tokens', 'revoke', id]);
    expect(revoked.out).toBe(`${id} is revoked\n`);
    expect(await statusWith(token)).toBe(401);
  });

  it('create binds a token to an account, and refuses unknown accounts and names', async () => {
    const account = await gateway.createAccount();
    const bound = await gatewayctl([
      'scim-tokens',
      'create',
      '--name',
      'company',
      '--account',
      account,
      '--json',
    ]);
    expect(JSON.parse(bound.out)).toMatchObject({ account_id: account });
    expect((await gatewayctl(['scim-tokens', 'create', '--name', 'x', '--account', 'acct_no'])).code).toBe(1);
    expect((await gatewayctl(['scim-tokens', 'create', '--name', 'a/b'])).code).toBe(1);
    expect((await gatewayctl(['scim-tokens', 'revoke', 'scim_unknown'])).code).toBe(1);
  });
});
