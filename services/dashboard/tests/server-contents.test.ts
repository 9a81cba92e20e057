import { openSql } from '@model-gateway/test-kit/open-sql';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { accountSettings } from '../wire/account-settings.ts';
import { contentsResponse } from '../wire/contents.ts';
import { type Browser, newAddress, refusal, signedUp, withServer } from './server-fixture.ts';

const site = withServer({}, (gateway) => ({ API_INTERNAL_URL: `${gateway.baseUrl}/v1` }));

const contentsOf = async (browser: Browser) =>
  accountSettings.parse(await browser.json('/api/account/settings')).contents;
const set = (browser: Browser, days: number | null) => browser.post('/api/account/contents', { days });

/** Sends a request in the playground, and waits for its receipt. */
async function ask(browser: Browser, content: string): Promise<string> {
  const response = await browser.post('/api/playground/chat', {
    model: 'sim/chat-free',
    messages: [{ role: 'user', content }],
  });
  await response.text();
  const id = response.headers.get('x-request-id') ?? '';
  await until(async () => (await browser.fetch(`/api/requests/${id}`)).status === 200);
  return id;
}

describe('contents of requests', () => {
  it('are off, and shown on the receipt after the owner has turned them on', async () => {
    const browser = await signedUp(site.server);
    expect(await contentsOf(browser)).toBeNull();
    const before = await ask(browser, 'before');
    expect(await refusal(await browser.post(`/api/requests/${before}/contents`))).toEqual([
      403,
      'permission_denied',
    ]);
    expect((await set(browser, 14)).status).toBe(204);
    expect(await contentsOf(browser)).toEqual({ days: 14, sinceMs: expect.any(Number) });
    const id = await ask(browser, 'What is a numbat?');
    const look = () => browser.post(`/api/requests/${id}/contents`);
    await until(async () => (await look()).status === 200);
    const contents = contentsResponse.parse(await (await look()).json());
    expect(contents).toMatchObject({ path: '/v1/chat/completions', status: 200 });
    expect(contents.request.text).toContain('What is a numbat?');
    expect(contents.response.text).toContain('data: [DONE]');
    expect(await refusal(await browser.post(`/api/requests/${before}/contents`))).toEqual([404, 'not_found']);
    expect((await set(browser, null)).status).toBe(204);
    expect(await contentsOf(browser)).toBeNull();
    expect((await look()).status).toBe(403);
  });

  it.each([0, 31, 1.5, '7'])('are not stored for %s days', async (days) => {
    const browser = await signedUp(site.server);
    const response = await browser.post('/api/account/contents', { days });
    expect(await refusal(response)).toEqual([400, 'invalid_request']);
  });

  it('are turned on only by somebody who has just proved who they are', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(
      `UPDATE dashboard_sessions SET proved_at = now() - interval '11 minutes' WHERE user_id =
       (SELECT id FROM dashboard_users WHERE email = $1)`,
      email,
    );
    expect(await refusal(await set(browser, 7))).toEqual([403, 'reauthentication_required']);
    expect(await contentsOf(browser)).toBeNull();
  });
});
