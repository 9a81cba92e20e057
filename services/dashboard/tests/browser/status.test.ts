import { rememberMinutes, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_BROWSER, openBrowser, PHONE, type TestBrowser } from './open-browser.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let gateway: TestGateway;
let browser: TestBrowser;

describe.skipIf(NO_BROWSER !== undefined)('the status page', () => {
  beforeAll(async () => {
    gateway = await startGateway({
      dashboard: true,
      history: (databaseUrl) =>
        rememberMinutes(databaseUrl, [
          { modelId: 'sim/embed-free', agoMs: 40 * MINUTE_MS, requests: 4, failed: 4 },
          { modelId: 'sim/rerank-free', agoMs: 4 * DAY_MS, requests: 4, failed: 4 },
          { modelId: 'sim/image-free', agoMs: 30 * MINUTE_MS, requests: 4, failed: 0 },
        ]),
    });
    browser = await openBrowser(gateway.dashboard?.url ?? '');
    const { rawKey } = await gateway.createKey();
    const chat = async (status?: number) => {
      const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: status === undefined ? 'sim/chat-pro' : 'sim/chat-free',
          messages: [{ role: 'user', content: 'hi' }],
          ...(status === undefined ? {} : { simulate: { status } }),
        }),
      });
      await response.text();
    };
    for (let count = 0; count < 4; count++) await chat(500);
    for (let count = 0; count < 4; count++) await chat();
    const status = `http://127.0.0.1:${gateway.catalog?.port}/v1/status/models`;
    await until(async () => /4 of 4 answers/.test(await (await fetch(status)).text()));
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  it('says what is wrong and since when, and is green for nothing that nobody has asked', async () => {
    for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
      await using visitor = await browser.visit({ viewport });
      const { page } = visitor;
      await page.goto('/status');
      const row = (model: string) =>
        page.locator('tr, li').filter({ hasText: model }).filter({ visible: true }).last();
      await page
        .getByText(/^Simulated.*: failing since \d\d:\d\d UTC, 4 of 8 answers .* failed\.$/)
        .waitFor();
      await row('sim/chat-free').getByText('Major outage').waitFor();
      await row('sim/chat-free')
        .getByText(/^Failing since .*, 4 of 4 answers/)
        .waitFor();
      await row('sim/chat-pro').getByText('Operational').waitFor();
      await row('sim/speech-free').getByText('No traffic', { exact: true }).first().waitFor();
      // Models without requests have no figures: their cards say nothing, their table cells have dashes.
      const { width } = viewport;
      const figures = row('sim/speech-free').getByText(width === PHONE.width ? 'Latency p50 / p95' : '–');
      expect(await figures.count()).toBe(width === PHONE.width ? 0 : 6);
      await row('sim/image-free')
        .getByText(/^No traffic since .* UTC\.$/)
        .waitFor();
      for (const model of ['sim/embed-free', 'sim/rerank-free']) {
        await row(model).getByText('Failed when last asked').waitFor();
        await row(model)
          .getByText(/^No traffic since .* UTC, and the last answers failed\.$/)
          .waitFor();
      }
      expect(await page.getByText(/uptime/i).count()).toBe(0);
      expect(await page.getByText('Success 24 h').count()).toBeGreaterThan(0);
      expect(visitor.problems).toEqual([]);
    }
  });

  it('agrees with the page of the models', async () => {
    await using visitor = await browser.visit();
    const { page } = visitor;
    await page.goto('/models');
    const card = (id: string) => page.getByRole('listitem').filter({ hasText: id });
    await card('sim/chat-pro').getByText('Operational').waitFor();
    await card('sim/speech-free').getByText('No traffic').waitFor();
    await card('sim/embed-free').getByText('Failed when last asked').waitFor();
  });
});
