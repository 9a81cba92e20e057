import { dumpTables } from '@model-gateway/test-kit/dump-tables';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sessionResponse } from '../wire/session.ts';
import { addSeatResponse } from '../wire/teams.ts';
import { usageResponse } from '../wire/usage.ts';
import {
  type Browser,
  createTeam,
  newAddress,
  refusal,
  signedUp,
  startServerOf,
  withServer,
} from './server-fixture.ts';

const site = withServer({ provider: { tokenDelayMs: 20 } }, (gateway) => ({
  API_BASE_URL: 'http://127.0.0.1:9',
  API_INTERNAL_URL: `${gateway.baseUrl}/v1`,
}));

const chat = { model: 'sim/chat-free', messages: [{ role: 'user', content: 'Tell me a long story.' }] };

async function playgroundKeys(): Promise<{ id: string; revoked: boolean; seat: string | null }[]> {
  await using sql = openSql(site.gateway.databaseUrl);
  const rows = await sql.rows(
    `SELECT id, revoked_at IS NOT NULL AS revoked, seat_id AS seat FROM api_keys WHERE kind = 'playground' ORDER BY created_at`,
  );
  return z.array(z.object({ id: z.string(), revoked: z.boolean(), seat: z.string().nullable() })).parse(rows);
}

function send(browser: Browser, more: object = {}, signal?: AbortSignal): Promise<Response> {
  return browser.fetch('/api/playground/chat', { body: { ...chat, ...more }, ...(signal ? { signal } : {}) });
}

describe('a playground chat', () => {
  it('is streamed, with its usage at the end and the request id of the gateway', async () => {
    const browser = await signedUp(site.server);
    const response = await send(browser, { maxTokens: 30 });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('x-gateway-overhead-ms')).toMatch(/^[\d.]+$/);
    const arrivals: number[] = [];
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      arrivals.push(performance.now());
      text += decoder.decode(chunk, { stream: true });
    }
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(150);
    expect(text).toContain('"completion_tokens"');
    expect(text).toMatch(/data: \[DONE\]\s*$/);
    const requestId = response.headers.get('x-request-id') ?? '';
    await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
    expect(await browser.json(`/api/requests/${requestId}`)).toMatchObject({
      model: 'sim/chat-free',
      keyKind: 'playground',
      keyName: 'Playground',
    });
    const now = Date.now();
    const usage = usageResponse.parse(
      await browser.json(`/api/usage?width=hour&fromMs=${now - 3_600_000}&toMs=${now + 60_000}`),
    );
    expect(usage.byKey).toMatchObject([
      { keyId: 'playground', kind: 'playground', name: 'Playground', requests: 1 },
    ]);
    expect(await browser.json('/api/keys')).toMatchObject({ keys: [] });
  });

  it('is listed among the requests under the id of all playground keys', async () => {
    const browser = await signedUp(site.server);
    const response = await send(browser, { maxTokens: 2 });
    await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
    await using sql = openSql(site.gateway.databaseUrl);
    const period = () => `fromMs=0&toMs=${Date.now() + 60_000}`;
    const isFound = async () => {
      const found = await browser.json(`/api/requests?keyId=playground&${period()}`);
      const csv = await (await browser.fetch(`/api/requests.csv?keyId=playground&${period()}`)).text();
      expect(found).toMatchObject({
        requests: [{ requestId, keyName: 'Playground', keyKind: 'playground' }],
      });
      expect(csv).toContain(`,${requestId},`);
    };
    await isFound();
    // As a day after the key has expired.
    await sql.run(
      `DELETE FROM api_keys WHERE id = (SELECT key_id FROM usage_records WHERE request_id = $1)`,
      requestId,
    );
    await isFound();
  });

  it('never shows its key', async () => {
    const browser = await signedUp(site.server);
    const response = await send(browser, { maxTokens: 2 });
    expect(response.status).toBe(200);
    const text = await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
    const requests = JSON.stringify(await browser.json(`/api/requests?fromMs=0&toMs=${Date.now() + 60_000}`));
    const tables = await dumpTables(site.gateway.databaseUrl);
    // Both contain the request, so the right places were searched.
    for (const place of [requests, tables]) expect(place).toContain(requestId);
    const seen = [
      text,
      JSON.stringify([...response.headers]),
      requests,
      JSON.stringify(await browser.json(`/api/requests/${requestId}`)),
      tables,
      site.server.logText(),
      site.gateway.logText(),
    ];
    for (const place of seen) expect(place).not.toMatch(/gw_live_\w{20}/);
  });

  it('is aborted at the provider when the browser disconnects', async () => {
    const browser = await signedUp(site.server);
    const abort = new AbortController();
    const content = `Never mind ${newAddress()}`;
    const response = await send(browser, { messages: [{ role: 'user', content }] }, abort.signal);
    await response.body?.getReader().read();
    abort.abort();
    const request = await site.gateway.provider.waitForRequest(({ bodyText }) => bodyText.includes(content));
    expect((await request.closed).reason).toBe('client_closed');
  });

  it('uses one key per session, also for concurrent chats, and the sign-out revokes it', async () => {
    const before = (await playgroundKeys()).length;
    const browser = await signedUp(site.server);
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(browser, { maxTokens: 2 })));
    for (const response of responses) {
      expect(response.status).toBe(200);
      await response.text();
    }
    const made = (await playgroundKeys()).slice(before);
    expect(made).toMatchObject([{ revoked: false, seat: null }]);
    await browser.post('/api/auth/sign-out');
    await until(async () => (await playgroundKeys()).find(({ id }) => id === made[0]?.id)?.revoked === true);
  });

  it('makes no key in an account that somebody looks at, and the sign-out revokes those after it', async () => {
    const holder = sessionResponse.parse(await (await signedUp(site.server)).json('/api/session')).user;
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
    await site.gateway.admin.call(30_000, 'members', 'grantRole', { email, role: 'auditor' });
    await browser.post('/api/auth/sign-out');
    await browser.signIn(email);
    const before = (await playgroundKeys()).length;
    await browser.post('/api/session/view', { accountId: holder?.accountId });
    expect((await send(browser)).status).toBe(403);
    await browser.post('/api/session/view/end');
    await (await send(browser)).text();
    const made = (await playgroundKeys()).slice(before);
    expect(made).toMatchObject([{ revoked: false }]);
    await browser.post('/api/auth/sign-out');
    await until(async () => (await playgroundKeys()).find(({ id }) => id === made[0]?.id)?.revoked === true);
  });

  it('uses a new key if the old one was revoked', async () => {
    const browser = await signedUp(site.server);
    await (await send(browser, { maxTokens: 2 })).text();
    const key = (await playgroundKeys()).at(-1);
    await site.gateway.revokeKey(key?.id ?? '');
    const response = await send(browser, { maxTokens: 2 });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('is paid by the seat that is named', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const { id } = await createTeam(browser, 'Team');
    const { seatId } = addSeatResponse.parse(
      await browser.json(`/api/teams/${id}/seats`, { body: { email } }),
    );
    expect((await send(browser, { maxTokens: 2, seatId })).status).toBe(200);
    expect((await playgroundKeys()).at(-1)).toMatchObject({ seat: seatId });
  });

  it('takes images as data URLs only, 10 MiB at most, and forwards them and the tools unchanged', async () => {
    const browser = await signedUp(site.server);
    const ask = (url: string, more: object = {}) =>
      send(browser, {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
        ...more,
      });
    expect(await refusal(await ask('https://attacker.example/a.png'))).toEqual([400, 'invalid_request']);
    const large = `data:image/png;base64,${'A'.repeat(10 * 1024 * 1024)}`;
    expect(await refusal(await ask(large))).toEqual([413, 'request_too_large']);

    const url = `data:image/png;base64,${Buffer.from(newAddress()).toString('base64')}`;
    const tools = [{ type: 'function', function: { name: 'ping', parameters: { type: 'object' } } }];
    const response = await ask(url, { tools, maxTokens: 2 });
    await response.text();
    const { bodyText } = await site.gateway.provider.waitForRequest((request) =>
      request.bodyText.includes(url),
    );
    expect(JSON.parse(bodyText)).toMatchObject({
      messages: [{ content: [{ type: 'image_url', image_url: { url } }] }],
      tools,
    });
  });

  it('sends the tags and the end user that rules require', async () => {
    const browser = await signedUp(site.server);
    const { user } = sessionResponse.parse(await browser.json('/api/session'));
    const rulesJson = JSON.stringify({ require_tags: ['project', 'env'], require_end_user: true });
    const owner = { kind: 'account', id: user?.accountId ?? '' };
    await site.gateway.admin.call(30_000, 'rules', 'setRules', { owner, rulesJson });
    const response = await send(browser, { maxTokens: 2 });
    expect(response.status).toBe(200);
    await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    await until(async () => (await browser.fetch(`/api/requests/${requestId}`)).status === 200);
    expect(await browser.json(`/api/requests/${requestId}`)).toMatchObject({
      tags: { project: 'playground', env: 'playground' },
      endUser: 'playground',
    });
  });

  it('passes errors of the gateway through unchanged', async () => {
    const response = await send(await signedUp(site.server), { model: 'sim/nothing' });
    expect(await refusal(response)).toEqual([404, 'model_not_found']);
    const unpaid = await send(await signedUp(site.server), { model: 'sim/chat-pro' });
    expect(await refusal(unpaid)).toEqual([402, 'insufficient_balance']);
  });

  it('gets 503 while the gateway cannot be reached', async () => {
    await using away = await startServerOf(site.gateway, { API_BASE_URL: 'http://127.0.0.1:9' });
    expect(await refusal(await send(await signedUp(away)))).toEqual([503, 'service_unavailable']);
  });
});
