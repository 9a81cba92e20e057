import { rulesReport } from '@model-gateway/shared/rules';
import { postJson } from '@model-gateway/test-kit';
import { dumpTables } from '@model-gateway/test-kit/dump-tables';
import { until } from '@model-gateway/test-kit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountSettings } from '../wire/account-settings.ts';
import { keysResponse } from '../wire/keys.ts';
import { limitsResponse } from '../wire/limits.ts';
import { receiptResponse } from '../wire/receipts.ts';
import { requestsResponse } from '../wire/requests.ts';
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
let owned: Awaited<ReturnType<typeof createEntries>>;

beforeAll(async () => {
  const email = newAddress();
  first = await signedUp(site.server, email);
  owned = await createEntries(first, email);
});

/** Adds a pool of $10 to an account. */
function addTen(email: string): Promise<{ id: string }> {
  return site.gateway.admin.call(30_000, 'pools', 'addPool', {
    owner: { kind: 'account', id: email },
    includedUsd: '10',
    resets: 'monthly',
    name: 'Ten',
  });
}

/** Creates a key, a pool, a team with a seat, a key on it, and a request. */
async function createEntries(browser: Browser, email: string) {
  const pool = await addTen(email);
  const created = await createKey(browser, 'First');
  const team = await createTeam(browser, 'Team');
  const seatId =
    addSeatResponse.parse(await browser.json(`/api/teams/${team.id}/seats`, { body: { email } })).seatId ??
    '';
  const onSeat = await createKey(browser, 'On seat', seatId);
  const chat = await postJson(site.gateway.baseUrl, created.rawKey, 'chat/completions', CHAT);
  await chat.text();
  const requestId = chat.headers.get('x-request-id') ?? '';
  await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
  return {
    keyId: created.key.id,
    rawKey: created.rawKey,
    seatRawKey: onSeat.rawKey,
    poolId: pool.id,
    teamId: team.id,
    seatId,
    requestId,
  };
}

const CHAT = { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'Hello' }] };

function period(): string {
  const now = Date.now();
  return `fromMs=${now - 3_600_000}&toMs=${now + 60_000}`;
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
    // Proves that the searched responses list the key.
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

  it("changes no rules of an account, which are the operator's", async () => {
    const response = await first.fetch('/api/rules?kind=account', { body: { rules: {} } });
    expect(await refusal(response)).toEqual([400, 'invalid_request']);
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
