import { createLogger } from '@model-gateway/service-kit';
import { rulesReport } from '@model-gateway/shared/rules';
import { postJson } from '@model-gateway/test-kit';
import { dumpTables } from '@model-gateway/test-kit/dump-tables';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { until } from '@model-gateway/test-kit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDashboardConfig } from '../src/config.ts';
import { createContext } from '../src/context.ts';
import { apiRoutes } from '../src/routes/api-routes.ts';
import { accountSettings } from '../wire/account-settings.ts';
import { createAdminKeyResponse } from '../wire/admin-keys.ts';
import { keysResponse } from '../wire/keys.ts';
import { limitsResponse } from '../wire/limits.ts';
import { inviteMemberResponse } from '../wire/members.ts';
import { receiptResponse } from '../wire/receipts.ts';
import { requestsResponse } from '../wire/requests.ts';
import { securityResponse } from '../wire/security.ts';
import { sessionResponse } from '../wire/session.ts';
import { addSeatResponse, teamsResponse } from '../wire/teams.ts';
import { usageResponse } from '../wire/usage.ts';
import {
  type Browser,
  createKey,
  createTeam,
  newAddress,
  refusal,
  signedUp,
  withServer,
} from './server-fixture.ts';

const site = withServer({ catalog: true }, (gateway) => ({
  API_BASE_URL: gateway.baseUrl,
  CATALOG_URL: `http://127.0.0.1:${gateway.catalog?.port}`,
}));
let first: Browser;
let second: Browser;
let owned: Awaited<ReturnType<typeof createEntries>>;
let secondPool: string;

beforeAll(async () => {
  const email = newAddress();
  first = await signedUp(site.server, email);
  const secondEmail = newAddress();
  second = await signedUp(site.server, secondEmail);
  secondPool = (await addTen(secondEmail)).id;
  owned = await createEntries(first, email);
});

/** Adds a pool of $10 to an account. */
function addTen(email: string): Promise<{ id: string }> {
  return site.gateway.admin.call(5_000, 'pools', 'addPool', {
    owner: { kind: 'account', id: email },
    includedUsd: '10',
    resets: 'monthly',
    name: 'Ten',
  });
}

/** Creates everything that has an id: a key, a pool, a team with a seat, a key on it, and a request. */
async function createEntries(browser: Browser, email: string) {
  const pool = await addTen(email);
  const created = await createKey(browser, 'First');
  const team = await createTeam(browser, 'Team');
  const seatId =
    addSeatResponse.parse(await browser.json(`/api/teams/${team.id}/seats`, { body: { email } })).seatId ??
    '';
  // Somebody who has not signed up yet.
  const invited = addSeatResponse.parse(
    await browser.json(`/api/teams/${team.id}/seats`, { body: { email: newAddress() } }),
  );
  const onSeat = await createKey(browser, 'On seat', seatId);
  const chat = await postJson(site.gateway.baseUrl, created.rawKey, 'chat/completions', CHAT);
  await chat.text();
  const requestId = chat.headers.get('x-request-id') ?? '';
  await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
  // Waits until unused reservations are returned, which would look like a change by the other account.
  await until(async () => {
    const { accountPools } = teamsResponse.parse(await browser.json('/api/teams'));
    return accountPools.every(({ heldUsd }) => Number(heldUsd) === 0);
  });
  const { member } = inviteMemberResponse.parse(
    await browser.json('/api/members', { body: { email: newAddress(), role: 'viewer' } }),
  );
  const { key: adminKey } = createAdminKeyResponse.parse(
    await browser.json('/api/admin-keys', { body: { name: 'CI', scopes: ['keys:read'], networks: [] } }),
  );
  const { sessions } = securityResponse.parse(await browser.json('/api/security'));
  const { user } = sessionResponse.parse(await browser.json('/api/session'));
  return {
    accountId: user?.accountId ?? '',
    keyId: created.key.id,
    rawKey: created.rawKey,
    seatRawKey: onSeat.rawKey,
    seatKeyId: onSeat.key.id,
    poolId: pool.id,
    teamId: team.id,
    seatId,
    invitationId: invited.invitation?.id ?? '',
    requestId,
    memberId: member.id,
    adminKeyId: adminKey.id,
    sessionId: sessions[0]?.id ?? '',
  };
}

const CHAT = { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'Hello' }] };

function period(): string {
  const now = Date.now();
  return `fromMs=${now - 3_600_000}&toMs=${now + 60_000}`;
}

interface Attempt {
  /** Returns a call with ids of the first account. */
  call: () => [path: string, body?: unknown];
  /** Default 404; empty: a list without anything of the first account. */
  expected?: number | 'empty';
}

const of = (path: string, body?: unknown): Attempt => ({ call: () => [path, body] });

const ofMonth = (path: string): Attempt => ({
  ...of(`${path}?month=${new Date().toISOString().slice(0, 7)}`),
  expected: 'empty',
});

/**
 * Lists every route; those about an account with calls that use the ids of another one. `own`: takes no id,
 * and concerns the sign-in of the caller.
 */
const ATTEMPTS: Record<string, Attempt[] | 'public' | 'own'> = {
  'POST /api/auth/sign-up/email': 'public',
  'POST /api/auth/sign-in/email': 'public',
  'POST /api/auth/sign-in/oauth2': 'public',
  'POST /api/auth/sign-in/code': 'public',
  'POST /api/auth/sign-in/passkey/options': 'public',
  'POST /api/auth/sign-in/passkey': 'public',
  'GET /api/auth/callback/:provider': 'public',
  'POST /api/auth/sign-out': 'public',
  'POST /api/auth/change-password': 'public',
  'GET /api/session': 'public',
  'POST /api/password-reset': 'public',
  'POST /api/password-reset/request': 'public',
  'POST /api/email-verification': [of('/api/email-verification', { token: 'x' })],
  'POST /api/email-verification/request': [of('/api/email-verification/request', {})],
  'GET /api/status': 'public',
  'GET /api/models': 'public',
  'GET /api/keys': [{ ...of('/api/keys'), expected: 'empty' }],
  'POST /api/keys': [{ call: () => ['/api/keys', { name: 'Mine', seatId: owned.seatId }] }],
  'POST /api/keys/:keyId/revoke': [
    { call: () => [`/api/keys/${owned.keyId}/revoke`, {}] },
    { call: () => [`/api/keys/${owned.seatKeyId}/revoke`, {}] },
  ],
  'GET /api/rules': [
    { call: () => [`/api/rules?kind=key&id=${owned.keyId}`] },
    { call: () => [`/api/rules?kind=seat&id=${owned.seatId}`] },
    { call: () => [`/api/rules?kind=team&id=${owned.teamId}`] },
    { call: () => [`/api/rules?kind=account&id=${owned.accountId}`], expected: 'empty' },
    { call: () => [`/api/rules?kind=end_user&endUser=customer-1&id=${owned.accountId}`], expected: 'empty' },
  ],
  'POST /api/rules': [
    { call: () => [`/api/rules?kind=key&id=${owned.keyId}`, { rules: {} }] },
    { call: () => [`/api/rules?kind=key&id=${owned.seatKeyId}`, { rules: {} }] },
    { call: () => [`/api/rules?kind=seat&id=${owned.seatId}`, { rules: {} }] },
    { call: () => [`/api/rules?kind=team&id=${owned.teamId}`, { rules: {} }] },
    // Not even of its own account: these are the operator's.
    { ...of('/api/rules?kind=account', { rules: {} }), expected: 400 },
  ],
  'GET /api/account/settings': [{ ...of('/api/account/settings'), expected: 'empty' }],
  'POST /api/account/calendar': [
    { ...of('/api/account/calendar', { timezone: 'Nowhere/Here', weekStarts: 'monday' }), expected: 400 },
  ],
  'POST /api/account/mails': [{ ...of('/api/account/mails', { thresholdMails: 'no' }), expected: 400 }],
  'GET /api/usage': [
    { call: () => [`/api/usage?width=minute&${period()}&seatId=${owned.seatId}`] },
    { call: () => [`/api/usage?width=minute&${period()}`], expected: 'empty' },
  ],
  'GET /api/statements': [ofMonth('/api/statements')],
  'GET /api/statements.csv': [ofMonth('/api/statements.csv')],
  'GET /api/statements.pdf': [ofMonth('/api/statements.pdf')],
  'GET /api/usage.csv': [
    { call: () => [`/api/usage.csv?${period()}&width=minute&seatId=${owned.seatId}`] },
    { call: () => [`/api/usage.csv?width=minute&${period()}`], expected: 'empty' },
  ],
  'GET /api/requests': [
    { call: () => [`/api/requests?${period()}&seatId=${owned.seatId}`] },
    { call: () => [`/api/requests?${period()}&keyId=${owned.keyId}`], expected: 'empty' },
    { call: () => [`/api/requests?${period()}&keyId=playground`], expected: 'empty' },
  ],
  'GET /api/requests.csv': [
    { call: () => [`/api/requests.csv?${period()}&seatId=${owned.seatId}`] },
    { call: () => [`/api/requests.csv?${period()}&keyId=${owned.keyId}`], expected: 'empty' },
  ],
  'GET /api/requests/:requestId': [{ call: () => [`/api/requests/${owned.requestId}`] }],
  'GET /api/limits': [{ ...of('/api/limits'), expected: 'empty' }],
  'GET /api/teams': [{ ...of('/api/teams'), expected: 'empty' }],
  'POST /api/teams': [{ ...of('/api/teams', { name: '' }), expected: 400 }],
  'POST /api/teams/:teamId/limit': [
    { call: () => [`/api/teams/${owned.teamId}/limit`, { requestsPerMinute: 1 }] },
  ],
  'POST /api/teams/:teamId/seats': [
    { call: () => [`/api/teams/${owned.teamId}/seats`, { email: 'somebody@example.com' }] },
  ],
  'POST /api/invitations/find': [of('/api/invitations/find', { token: 'x' })],
  'POST /api/invitations/accept': [
    of('/api/invitations/accept', { token: 'x' }),
    { call: () => ['/api/invitations/accept', { invitationId: owned.invitationId }] },
  ],
  'POST /api/invitations/:invitationId/withdraw': [
    { call: () => [`/api/invitations/${owned.invitationId}/withdraw`, {}] },
  ],
  'POST /api/seats/:seatId/remove': [{ call: () => [`/api/seats/${owned.seatId}/remove`, {}] }],
  'POST /api/money/move': [
    { call: () => ['/api/money/move', { fromPoolId: owned.poolId, usd: '1' }] },
    {
      call: () => ['/api/money/move', { fromPoolId: secondPool, usd: '1', to: { teamId: owned.teamId } }],
    },
    {
      call: () => ['/api/money/move', { fromPoolId: secondPool, usd: '1', to: { seatId: owned.seatId } }],
    },
  ],
  'POST /api/playground/chat': [
    {
      call: () => [
        '/api/playground/chat',
        { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'x' }], seatId: owned.seatId },
      ],
    },
  ],
  'GET /api/members': [{ ...of('/api/members'), expected: 'empty' }],
  'POST /api/members': [{ ...of('/api/members', { email: 'nobody', role: 'viewer' }), expected: 400 }],
  'POST /api/members/:memberId/role': [
    { call: () => [`/api/members/${owned.memberId}/role`, { role: 'admin' }] },
  ],
  'POST /api/members/:memberId/remove': [{ call: () => [`/api/members/${owned.memberId}/remove`, {}] }],
  'POST /api/memberships/find': [of('/api/memberships/find', { token: 'x' })],
  'POST /api/memberships/accept': [
    of('/api/memberships/accept', { token: 'x' }),
    { call: () => ['/api/memberships/accept', { invitationId: owned.memberId }] },
  ],
  'POST /api/session/account': [{ call: () => ['/api/session/account', { accountId: owned.accountId }] }],
  'GET /api/audit-events': [{ ...of('/api/audit-events'), expected: 'empty' }],
  'GET /api/audit-events.ndjson': [{ ...of('/api/audit-events.ndjson'), expected: 'empty' }],
  'GET /api/admin-keys': [{ ...of('/api/admin-keys'), expected: 'empty' }],
  'POST /api/admin-keys': [
    { ...of('/api/admin-keys', { name: 'CI', scopes: ['fleet:all'], networks: [] }), expected: 400 },
  ],
  'POST /api/admin-keys/:keyId/revoke': [{ call: () => [`/api/admin-keys/${owned.adminKeyId}/revoke`, {}] }],
  'GET /api/security': [{ ...of('/api/security'), expected: 'empty' }],
  'POST /api/security/sessions/:sessionId/end': [
    { call: () => [`/api/security/sessions/${owned.sessionId}/end`, {}] },
  ],
  'POST /api/security/sessions/end-others': 'own',
  'POST /api/security/passkeys/options': 'own',
  'POST /api/security/passkeys': 'own',
  'POST /api/security/passkeys/:passkeyId/remove': [of('/api/security/passkeys/x/remove', {})],
  'POST /api/security/app/start': 'own',
  'POST /api/security/app/confirm': 'own',
  'POST /api/security/app/turn-off': 'own',
  'POST /api/security/app/backup-codes': 'own',
  'GET /api/re-authentication': 'own',
  'POST /api/re-authentication/password': 'own',
  'POST /api/re-authentication/code': 'own',
  'POST /api/re-authentication/passkey/options': 'own',
  'POST /api/re-authentication/passkey': 'own',
};

describe('the entries of another account', () => {
  it('are requested from every route that exists', () => {
    const config = parseDashboardConfig({ ...TEST_SECRETS, DATABASE_URL: site.gateway.databaseUrl });
    const context = createContext(config, { log: createLogger({ service: 'test', level: 'silent' }) });
    const routes = apiRoutes(context).map(({ method, path }) => `${method} ${path}`);
    context.client.close();
    expect(Object.keys(ATTEMPTS).sort()).toEqual(routes.sort());
  });

  it('cannot be seen or changed by their ids', async () => {
    const before = await stateOf(first);
    for (const [route, attempts] of Object.entries(ATTEMPTS)) {
      if (typeof attempts === 'string') continue;
      for (const { call, expected = 404 } of attempts) {
        const [path, body] = call();
        const response = await second.fetch(path, body === undefined ? {} : { body });
        const text = await response.text();
        expect([route, path, response.status]).toEqual([route, path, expected === 'empty' ? 200 : expected]);
        // An error may repeat the ids that the second account has sent.
        const ids = expected === 'empty' ? Object.values(owned) : [owned.rawKey, owned.seatRawKey];
        for (const id of ids) expect(text, path).not.toContain(id);
      }
    }
    expect(await stateOf(first)).toEqual(before);
  });

  it('cannot be requested without a session', async () => {
    for (const [route, attempts] of Object.entries(ATTEMPTS)) {
      if (typeof attempts === 'string') continue;
      const [path, body] = attempts[0]?.call() ?? [''];
      const response = await fetch(`${site.server.url}${path}`, {
        method: route.split(' ')[0] ?? '',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', origin: 'http://localhost:8090' },
      });
      expect([route, ...(await refusal(response))]).toEqual([route, 401, 'signed_out']);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });
});

async function stateOf(browser: Browser): Promise<unknown> {
  const now = Date.now();
  return {
    keys: await browser.json('/api/keys'),
    teams: await browser.json('/api/teams'),
    requests: await browser.json(`/api/requests?fromMs=0&toMs=${now}`),
  };
}

describe('a raw key', () => {
  it('is in no later response, log line or table', async () => {
    const paths = [
      '/api/session',
      '/api/keys',
      `/api/usage?width=minute&${period()}`,
      `/api/usage.csv?width=minute&${period()}`,
      `/api/requests?${period()}`,
      `/api/requests.csv?${period()}`,
      `/api/requests/${owned.requestId}`,
      '/api/limits',
      '/api/teams',
      '/dashboard/api-keys',
    ];
    const texts = await Promise.all(paths.map(async (path) => (await first.fetch(path)).text()));
    texts.push(site.server.logText(), site.gateway.logText(), await dumpTables(site.gateway.databaseUrl));
    for (const text of texts) {
      expect(text).not.toContain(owned.rawKey);
      expect(text).not.toContain(owned.seatRawKey);
    }
    expect(site.server.logText()).toMatch(/"route":"\/api\/limits","status":200,.*"account_id":"acct_/);
    // The responses have the name of the key, so the right ones were searched.
    expect(texts[1]).toContain('On seat');
  });
});

describe('the API of the site', () => {
  it('returns what its schemas say', async () => {
    const keys = keysResponse.parse(await first.json('/api/keys'));
    expect(keys.keys).toHaveLength(2);
    expect(keys.keys[0]).toMatchObject({ name: 'On seat', seat: { id: owned.seatId, teamName: 'Team' } });
    expect(keys.keys[1]).toMatchObject({ requestsThisMonth: 1, revokedAtMs: null });
    const usage = usageResponse.parse(await first.json(`/api/usage?width=minute&${period()}`));
    expect(usage.buckets.length).toBeGreaterThanOrEqual(61);
    expect(usage.totals.requests).toBe(1);
    expect(usage.byKey).toMatchObject([{ keyId: owned.keyId, name: 'First', requests: 1 }]);
    expect(usage.byModel).toMatchObject([{ model: 'sim/chat-pro', costUsd: usage.totals.costUsd }]);
    expect(usage.pools).toMatchObject([{ id: owned.poolId, usedUsd: usage.totals.costUsd }]);
    const requests = requestsResponse.parse(await first.json(`/api/requests?${period()}`));
    expect(requests.requests).toMatchObject([
      { requestId: owned.requestId, outcome: 'completed', keyName: 'First' },
    ]);
    const receipt = receiptResponse.parse(await first.json(`/api/requests/${owned.requestId}`));
    expect(receipt).toMatchObject({ keyId: owned.keyId, keyName: 'First', keyKind: 'issued' });
    expect(receipt.chargedUsd).toBe(usage.totals.costUsd);
    rulesReport.parse(await first.json(`/api/rules?kind=key&id=${owned.keyId}`));
    accountSettings.parse(await first.json('/api/account/settings'));
    const teams = teamsResponse.parse(await first.json('/api/teams'));
    expect(teams.teams).toMatchObject([
      { id: owned.teamId, role: 'owner', seats: [{ id: owned.seatId, isOwn: true }] },
    ]);
    expect(teams.accountPools.map(({ id }) => id)).toEqual([owned.poolId]);
  });

  it('returns usage and requests as CSV files', async () => {
    const requests = await (await first.fetch(`/api/requests.csv?${period()}`)).text();
    const [header, row, ...more] = requests.trimEnd().split('\r\n');
    expect(header).toMatch(/^ended_at,request_id,model/);
    expect(row).toContain(`,${owned.requestId},sim/chat-pro,chat,First,completed,`);
    expect(more).toEqual([]);
    const usage = await first.fetch(`/api/usage.csv?width=day&${period()}`);
    expect(usage.headers.get('content-disposition')).toBe('attachment; filename="usage.csv"');
    expect(await usage.text()).toMatch(/\r\n\d{4}-\d\d-\d\d,sim\/chat-pro,First,gw_live_\w{8},1,/);
    const byMinute = await first.fetch(`/api/usage.csv?width=minute&${period()}`);
    expect(await byMinute.text()).toMatch(/\r\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,sim\/chat-pro,First,/);
  });

  it('refuses more than 1,500 buckets, also for a file', async () => {
    const now = Date.now();
    for (const path of [
      `/api/usage?width=minute&fromMs=${now - 2 * 86_400_000}&toMs=${now}`,
      `/api/usage.csv?width=day&fromMs=${now - 1_501 * 86_400_000}&toMs=${now}`,
      `/api/usage.csv?width=minute&fromMs=${now - 2 * 86_400_000}&toMs=${now}`,
    ]) {
      expect([path, ...(await refusal(await first.fetch(path)))]).toEqual([path, 400, 'invalid_request']);
    }
  });
});

describe('the limits of a key', () => {
  it('show how much of them its calls have used', async () => {
    const created = await createKey(first, 'Counted');
    const authorization = `Bearer ${created.rawKey}`;
    for (let call = 0; call < 3; call++) {
      expect((await fetch(`${site.gateway.baseUrl}/v1/usage`, { headers: { authorization } })).status).toBe(
        200,
      );
    }
    const { keys } = limitsResponse.parse(await first.json('/api/limits'));
    const counted = keys.find(({ keyId }) => keyId === created.key.id);
    expect(counted?.name).toBe('Counted');
    expect(counted?.limits).toContainEqual({ name: 'key.reads', limit: 300, windowSeconds: 60, used: 3 });
    expect(counted?.limits).toContainEqual({ name: 'key.free', limit: 60, windowSeconds: 60, used: 0 });
    await first.json(`/api/keys/${created.key.id}/revoke`, { body: {} });
  });
});

describe('a pool', () => {
  it('shows what is used, reserved and left, and when it refills', async () => {
    const usage = () => first.json(`/api/usage?width=hour&${period()}`).then(usageResponse.parse);
    const { rawKey } = await createKey(first, 'Paying');
    const body = { ...CHAT, stream: true };
    const chat = await postJson(site.gateway.baseUrl, rawKey, 'chat/completions', body);
    const [held] = (await usage()).pools;
    await chat.text();
    expect(Number(held?.heldUsd)).toBeGreaterThan(0);
    expect(Number(held?.usedUsd)).toBeGreaterThan(0);
    const billionths = (usd: string | null = '0') => BigInt((usd ?? '').replace('.', ''));
    expect(held?.includedUsd).toBe('10.000000000');
    expect(billionths(held?.usedUsd) + billionths(held?.heldUsd) + billionths(held?.remainingUsd)).toBe(
      10_000_000_000n,
    );
    const now = new Date();
    expect(held?.resetsAtMs).toBe(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  });
});

describe('a key that is revoked in the dashboard', () => {
  it('is refused by the gateway on the very next request', async () => {
    const created = await createKey(first, 'Short');
    const ask = () =>
      fetch(`${site.gateway.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${created.rawKey}` } });
    expect((await ask()).status).toBe(200);
    const revoked = await first.json(`/api/keys/${created.key.id}/revoke`, { body: {} });
    expect(revoked).toMatchObject({ keyId: created.key.id, refusedEverywhere: true });
    expect((await ask()).status).toBe(401);
  });
});
