import { readFile } from 'node:fs/promises';
import { addPool } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyResponse } from '../../wire/keys.ts';
import { usageResponse } from '../../wire/usage.ts';
import { newPerson, type Person, signUpUnseen } from './act.ts';
import { makeUpUsage } from './make-up-usage.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const DAY_MS = 86_400_000;
const WHOLE = new Intl.NumberFormat('en-US');

describe.skipIf(NO_BROWSER !== undefined)('the pages of usage, models and status', () => {
  const site = withBrowser(() => ({ dashboard: true }));
  let visitor: Visitor;
  let page: Page;
  let person: Person;

  beforeAll(async () => {
    visitor = await site.browser.visit();
    page = visitor.page;
    person = newPerson();
    await signUpUnseen(visitor, person);
    await makeUpUsage(site.gateway, person.email);
  });
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]();
  });

  it('show the usage of the chosen period, which the URL stores', async () => {
    await page.goto('/dashboard/usage');
    const month = await requestsShown(page);
    const periods = page.getByRole('radiogroup', { name: 'Period' });
    await periods.getByText('7 days').click();
    await expect.poll(() => requestsShown(page), POLL).not.toBe(month);
    const week = await requestsShown(page);
    expect(page.url()).toMatch(/[?&]range=7d(&|$)/);
    await page.reload();
    await expect.poll(() => requestsShown(page), POLL).toBe(week);
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);

    await periods.getByText('Dates').click();
    const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
    await page.getByLabel('From', { exact: true }).fill(day);
    await page.getByLabel('To', { exact: true }).fill(day);
    const fromMs = Date.parse(day);
    const response = await page.request.get(`/api/usage?fromMs=${fromMs}&toMs=${fromMs + DAY_MS}&width=hour`);
    const { totals } = usageResponse.parse(await response.json());
    const oneDay = WHOLE.format(totals.requests);
    expect(oneDay).not.toBe(week);
    await expect.poll(() => requestsShown(page), POLL).toBe(oneDay);
    const address = new URL(page.url()).searchParams;
    expect([address.get('from'), address.get('to')]).toEqual([day, day]);
    await page.reload();
    await expect.poll(() => requestsShown(page), POLL).toBe(oneDay);
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(day);

    // Each choice is a step of the history, and so is all typing into one field.
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.getByRole('radio', { name: 'Dates' }).isChecked(), POLL).toBe(true);
    await page.goBack();
    await expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked(), POLL).toBe(true);
    await expect.poll(() => requestsShown(page), POLL).toBe(week);
    await page.goBack();
    await expect.poll(() => page.getByRole('radio', { name: '30 days' }).isChecked(), POLL).toBe(true);
    await expect.poll(() => requestsShown(page), POLL).toBe(month);
  });

  it('show two charts side by side with the same labels at the same places', async () => {
    // The demo data has requests in each of these periods, at any time of the day.
    const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
    for (const range of ['30d', '7d', `custom&from=${day}&to=${day}`]) {
      await page.goto(`/dashboard/usage?range=${range}`);
      const [spend, requests] = await Promise.all([axisOf(page, 'Spend'), axisOf(page, 'Requests')]);
      expect(spend.times.length, range).toBeGreaterThanOrEqual(2);
      expect(requests.times, range).toEqual(spend.times);
      // Both charts have the same number of round values on lines at the same heights, unless one is empty.
      if (requests.values > 1 && spend.values > 1) expect(requests.values, range).toBe(spend.values);
    }
  });

  it('show what is left and what is reserved of a pool, and the limits of the busiest key first', async () => {
    await addPool(site.gateway.admin, { kind: 'account', id: person.email }, '5.00');
    const [busy] = [await createKey('busy'), await createKey('idle')];
    const abort = new AbortController();
    const running = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${busy}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim/chat-pro',
        stream: true,
        max_tokens: 1_000,
        messages: [{ role: 'user', content: 'Go on.' }],
        simulate: { hang: { after_events: 2 } },
      }),
      signal: abort.signal,
    });
    expect(running.status).toBe(200);
    try {
      await page.goto('/dashboard/usage?range=30d');
      const pools = page.getByRole('region', { name: 'Pools' });
      await pools.getByText('$5.00 left of $5.00').waitFor();
      await pools.getByText('Reserved right now').waitFor();
      await pools.getByText(/Reserved is a part of what is left/).waitFor();
      const limits = page.getByRole('region', { name: 'Limits' });
      await limits.getByText('1 of 1,000,000 at a time').or(limits.getByText('1 of 10 at a time')).waitFor();
      const text = (await limits.textContent()) ?? '';
      expect(text.indexOf('busy')).toBeGreaterThan(0);
      expect(text.indexOf('busy')).toBeLessThan(text.indexOf('idle'));
    } finally {
      abort.abort();
      await running.text().catch(() => undefined);
    }
  });

  it('show that a pool is unlimited, and when it expires', async () => {
    const owner = { kind: 'account', id: person.email };
    const more = { unlimited: true, name: 'My providers', resets: 'monthly' };
    await site.gateway.admin.call(TIMEOUT_MS, 'pools', 'addPool', {
      ...{ owner, ...more, expiresAtMs: Date.UTC(2099, 0, 31) },
    });
    await page.goto('/dashboard/usage?range=30d');
    const pools = page.getByRole('region', { name: 'Pools' });
    await pools.getByText('My providers').waitFor();
    await pools.getByText('Unlimited', { exact: true }).waitFor();
    await pools.getByText(/^Counts from zero again on .*\. Expires on .*2099, .*\.$/).waitFor();
  });

  it('filter requests by key, and offer CSV files with a header', async () => {
    await page.goto('/dashboard/usage?range=30d');
    const table = page.getByRole('table', { name: 'Recent requests' });
    await table.waitFor();
    const filter = page.getByRole('combobox', { name: 'Key' });
    const wanted = 'nightly job (made up)';
    await filter.selectOption({ label: wanted });
    const keys = table.locator('tbody tr > td:nth-child(3)');
    await expect.poll(async () => new Set(await keys.allTextContents()), POLL).toEqual(new Set([wanted]));
    expect(new URL(page.url()).searchParams.get('key')).toBe(await filter.inputValue());

    // The URL also stores the page of the list, so that Back from a receipt returns to it.
    const newest = await table.locator('tbody a').first().getAttribute('href');
    await page.getByRole('button', { name: 'Older' }).click();
    const firstReceipt = () => table.locator('tbody a').first().getAttribute('href');
    await expect.poll(firstReceipt, POLL).not.toBe(newest);
    const older = await firstReceipt();
    await table.locator('tbody a').first().click();
    await page.getByRole('heading', { name: 'Receipt', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(firstReceipt, POLL).toBe(older);
    await page.goBack();
    await expect.poll(firstReceipt, POLL).toBe(newest);

    const usage = await download(page, 'Usage CSV');
    expect(usage.header).toMatch(/^starts_at,model,key_name,.*,cost_usd$/);
    expect(usage.rows.length).toBeGreaterThan(30);
    const requests = await download(page, 'Requests CSV');
    expect(requests.header).toMatch(/^ended_at,request_id,model,.*,cost_usd$/);
    expect(requests.rows.length).toBeGreaterThan(0);
    expect(requests.rows.filter((row) => !row.includes(wanted))).toEqual([]);
  });

  it('show the response to each request, also to requests that reached no provider', async () => {
    await using guest = await site.browser.visit();
    await signUpUnseen(guest, newPerson());
    const created = await guest.page.request.post('/api/keys', {
      data: { name: 'first' },
      headers: { origin: guest.siteUrl },
    });
    const { rawKey } = createKeyResponse.parse(await created.json());
    const send = async (model: string, more: object = {}) => {
      const response = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await send('sim/chat-free', { simulate: { status: 500 } })).toBe(502);
    expect(await send('sim/chat-free', { simulate: { status: 400, message: 'no' } })).toBe(400);
    for (let sent = 0; sent < 3; sent++) expect(await send('sim/chat-pro')).toBe(402);
    await guest.page.goto('/dashboard/usage');
    const table = guest.page.getByRole('table', { name: 'Recent requests' });
    await table
      .getByRole('row', { name: /sim\/chat-pro first Refused ×3 402 insufficient_balance/ })
      .waitFor();
    await table.getByRole('row', { name: /Failed 502 upstream_error/ }).waitFor();
    await guest.page.getByText('2 of 2', { exact: true }).waitFor();
    await guest.page.getByText(/^Of the last 2 requests that reached a provider/).waitFor();
    const rejected = table.getByRole('row', { name: /Failed 400 upstream_rejected/ });
    await rejected.getByRole('link').click();
    await guest.page.getByText(/The provider rejected this request/).waitFor();
    expect(await guest.page.getByText('400 upstream_rejected', { exact: true }).count()).toBe(1);
    expect(await guest.page.getByText(/No provider/).count()).toBe(0);
    expect(guest.problems).toEqual([]);
  });

  it('fold the sections of the usage page on a phone', async () => {
    await using phone = await site.browser.visit({ viewport: PHONE });
    await phone.context.addCookies(await visitor.context.cookies());
    await phone.page.goto('/dashboard/usage?range=30d');
    await phone.page.locator('.recharts-surface').nth(1).waitFor();
    const height = (await phone.page.locator('body').boundingBox())?.height ?? 0;
    console.log(`the usage page on a phone is ${height} px long`);
    expect(height).toBeLessThan(3_000);
    const titles = await phone.page.getByRole('heading', { level: 2 }).allTextContents();
    expect(titles.slice(0, 3)).toEqual(['Spend', 'Requests', 'Pools']);

    // A folded section opens by its title, and is still open at the next visit.
    const fold = phone.page.getByRole('button', { name: 'Recent requests', expanded: false });
    await fold.click();
    const requests = phone.page.getByRole('list', { name: 'Recent requests' }).getByRole('listitem');
    await requests.first().waitFor();
    await expect.poll(() => requests.count(), POLL).toBe(10);
    await phone.page.reload();
    await requests.first().waitFor();
    await phone.page.getByRole('button', { name: 'Recent requests', expanded: true }).click();
    await requests.first().waitFor({ state: 'detached' });
    expect(phone.problems).toEqual([]);
  });

  it('search and filter models', async () => {
    await using guest = await site.browser.visit();
    await guest.page.goto('/models');
    const ids = guest.page.getByRole('table', { name: 'Models: sim' }).locator('[data-id]');
    await ids.first().waitFor();
    await expect.poll(() => ids.count(), POLL).toBe(16);
    await guest.page.getByLabel('Capability').selectOption({ label: 'Chat' });
    await expect.poll(() => ids.allTextContents(), POLL).toEqual(['sim/chat-free', 'sim/chat-pro']);
    await guest.page.getByLabel('Search').fill('pro');
    await expect.poll(() => ids.allTextContents(), POLL).toEqual(['sim/chat-pro']);
    await guest.page.getByLabel('Search').fill('no such model');
    await guest.page.getByRole('button', { name: 'Show all models' }).click();
    await expect.poll(() => ids.count(), POLL).toBe(16);
    await guest.page.goBack();
    await guest.page.getByRole('heading', { name: 'No model fits' }).waitFor();
    // All typing into one field is one step of the history.
    await guest.page.goBack();
    await expect.poll(() => ids.allTextContents(), POLL).toEqual(['sim/chat-free', 'sim/chat-pro']);
    await guest.page.goBack();
    await expect.poll(() => ids.count(), POLL).toBe(16);
    expect(guest.problems).toEqual([]);
  });

  it('show the status of all components and models without a sign-in', async () => {
    await using guest = await site.browser.visit();
    await guest.page.goto('/status');
    const parts = guest.page.getByRole('region', { name: 'Components' }).getByRole('listitem');
    await parts.first().waitFor();
    await expect.poll(() => parts.count(), POLL).toBeGreaterThanOrEqual(2);
    await guest.page.getByRole('row', { name: /sim\/chat-free/ }).waitFor();
    expect(new URL(guest.page.url()).pathname).toBe('/status');
    expect(guest.problems).toEqual([]);
  });

  async function createKey(name: string): Promise<string> {
    const { rawKey } = await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'createKey', {
      account: person.email,
      name,
    });
    return rawKey;
  }
});

/** Reads the axes of a chart: times with their places from the left, and the number of values. */
async function axisOf(page: Page, title: string): Promise<{ times: unknown[]; values: number }> {
  const chart = page.getByRole('region', { name: title, exact: true }).locator('.recharts-surface').first();
  await chart.waitFor();
  const times = chart.locator('.recharts-xAxis-tick-labels .recharts-cartesian-axis-tick-value');
  await expect.poll(() => times.count(), POLL).toBeGreaterThan(0);
  const left = (await chart.boundingBox())?.x ?? 0;
  const named = await Promise.all(
    (await times.all()).map(async (each) => {
      const box = await each.boundingBox();
      return [await each.textContent(), Math.round((box?.x ?? 0) - left)];
    }),
  );
  const values = await chart
    .locator('.recharts-yAxis-tick-labels .recharts-cartesian-axis-tick-value')
    .count();
  return { times: named, values };
}

/** The number of requests among the headline figures. */
async function requestsShown(page: Page): Promise<string> {
  const figure = page.locator('div:has(> dt:text-is("Requests")) > dd > span').first();
  return (await figure.textContent()) ?? '';
}

async function download(page: Page, link: string): Promise<{ header: string; rows: string[] }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link }).click(),
  ]);
  const [header = '', ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  return { header, rows };
}
