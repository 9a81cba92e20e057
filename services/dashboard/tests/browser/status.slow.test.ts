import { postJson, rememberMinutes, until } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { LAPTOP, NO_BROWSER, PHONE, withBrowser } from './open-browser.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe.skipIf(NO_BROWSER !== undefined)('the status page', () => {
  const site = withBrowser(() => ({
    dashboard: true,
    history: (databaseUrl) =>
      rememberMinutes(databaseUrl, [
        { modelId: 'sim/embed-free', agoMs: 40 * MINUTE_MS, requests: 4, failed: 4 },
        { modelId: 'sim/rerank-free', agoMs: 4 * DAY_MS, requests: 4, failed: 4 },
        { modelId: 'sim/image-free', agoMs: 30 * MINUTE_MS, requests: 4, failed: 0 },
      ]),
  }));

  beforeAll(async () => {
    const { baseUrl, catalog, createKey } = site.gateway;
    const { rawKey } = await createKey();
    const chat = async (model: string, more: object = {}) => {
      const body = { model, messages: [{ role: 'user', content: 'hi' }], ...more };
      await (await postJson(baseUrl, rawKey, 'chat/completions', body)).text();
    };
    for (let count = 0; count < 4; count++) await chat('sim/chat-free', { simulate: { status: 500 } });
    for (let count = 0; count < 4; count++) await chat('sim/chat-pro');
    const status = `http://127.0.0.1:${catalog?.port}/v1/status/models`;
    await until(async () => /4 of 4 answers/.test(await (await fetch(status)).text()));
  });

  it('says what fails and since when, and shows nothing without traffic in green', async () => {
    for (const viewport of [LAPTOP, PHONE]) {
      await using visitor = await site.browser.visit({ viewport });
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

  it('agrees with the page of models', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.goto('/models');
    const row = (id: string) => page.getByRole('row').filter({ hasText: id });
    await row('sim/chat-pro').getByText('Operational').waitFor();
    await row('sim/speech-free').getByText('No traffic').waitFor();
    await row('sim/embed-free').getByText('Failed when last asked').waitFor();
  });
});
