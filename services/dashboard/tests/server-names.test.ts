import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { addPool } from '@model-gateway/test-kit/start-gateway';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  Browser,
  createKey,
  createTeam,
  newAddress,
  PASSWORD,
  refusal,
  signedUp,
  withServer,
} from './server-fixture.ts';

const LONGEST = 'n'.repeat(200);
const TOO_LONG = `${LONGEST}n`;
const CALL_MS = 10_000;

const site = withServer();
let browser: Browser;
let email: string;

beforeAll(async () => {
  email = newAddress();
  browser = await signedUp(site.server, email);
});

describe('a name that is too long is refused, not cut', () => {
  it('of an account that somebody opens', async () => {
    const sign = (name: string) =>
      new Browser(site.server).post('/api/auth/sign-up/email', {
        name,
        email: newAddress(),
        password: PASSWORD,
      });
    const refused = await sign(TOO_LONG);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('at most 200 characters');
    expect((await sign(LONGEST)).status).toBe(200);
  });

  it('of a key', async () => {
    expect(await refusal(await browser.post('/api/keys', { name: TOO_LONG }))).toEqual([
      400,
      'invalid_request',
    ]);
    const { key } = await createKey(browser, LONGEST);
    expect(key.name).toBe(LONGEST);
  });

  it('of a team, and of the pool that money is moved to', async () => {
    expect(await refusal(await browser.post('/api/teams', { name: TOO_LONG }))).toEqual([
      400,
      'invalid_request',
    ]);
    const team = await createTeam(browser, LONGEST);
    expect(team.name).toBe(LONGEST);
    const fromPoolId = await addPool(site.gateway.admin, { kind: 'account', id: email }, '2');
    const move = { fromPoolId, to: { teamId: team.id }, usd: '1' };
    const refused = await browser.post('/api/money/move', { ...move, name: TOO_LONG });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('must have at most 200 characters');
    expect((await browser.post('/api/money/move', { ...move, name: LONGEST })).status).toBe(204);
  });

  it('for everything that an operator creates, and nothing is stored', async () => {
    const refusals = [
      site.gateway.admin.call(CALL_MS, 'accounts', 'createAccount', { email: newAddress(), name: TOO_LONG }),
      site.gateway.admin.call(CALL_MS, 'accounts', 'createKey', { account: email, name: TOO_LONG }),
      site.gateway.admin.call(CALL_MS, 'teams', 'createTeam', { account: email, name: TOO_LONG }),
      site.gateway.admin.call(CALL_MS, 'pools', 'addPool', {
        owner: { kind: 'account', id: email },
        name: TOO_LONG,
        includedUsd: '1',
        resets: 'never',
      }),
    ];
    for (const refused of await Promise.allSettled(refusals)) {
      expect(refused.status).toBe('rejected');
      const reason: unknown = refused.status === 'rejected' ? refused.reason : undefined;
      expect(grpcStatus(reason)).toBe(GrpcStatus.INVALID_ARGUMENT);
      expect(String(reason)).toContain('200 characters');
    }
    await using sql = openSql(site.gateway.databaseUrl);
    for (const table of ['accounts', 'api_keys', 'teams', 'pools', 'dashboard_users']) {
      expect(await sql.rows(`SELECT name FROM ${table} WHERE length(name) > 200`)).toEqual([]);
    }
  });
});
