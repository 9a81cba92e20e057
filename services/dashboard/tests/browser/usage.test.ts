import { readFile } from 'node:fs/promises';
import type { AddDemoUsageResponseMessage } from '@model-gateway/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../../packages/test-kit/src/index.ts';
import { createKeyAnswer } from '../../wire/keys.ts';
import { usageAnswer } from '../../wire/usage.ts';
import { newPerson, signUpUnseen } from './act.ts';
import { NO_BROWSER, openBrowser, PHONE, type TestBrowser, type Visitor } from './open-browser.ts';

const CALL_MS = 20_000;
const DAY_MS = 86_400_000;
const PATIENTLY = { timeout: 20_000 };
const WHOLE = new Intl.NumberFormat('en-US');

describe.skipIf(NO_BROWSER !== undefined)('what is shown of usage, models and status', () => {
  let gateway: TestGateway;
  let browser: TestBrowser;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    gateway = await startGateway({ dashboard: true });
    browser = await openBrowser(gateway.dashboard?.url ?? '');
    visitor = await browser.visit();
    page = visitor.page;
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await gateway.admin.callOnce<AddDemoUsageResponseMessage>(CALL_MS, (stubs, ...rest) =>
      stubs.admin.addDemoUsage({ account: person.email }, ...rest),
    );
  });
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  it('is that of the chosen period, which stands in the address and outlives a reload', async () => {
    await page.goto('/dashboard/usage');
    const month = await requestsShown(page);
    const periods = page.getByRole('radiogroup', { name: 'Period' });
    await periods.getByText('7 days').click();
    await expect.poll(() => requestsShown(page), PATIENTLY).not.toBe(month);
    const week = await requestsShown(page);
    expect(page.url()).toMatch(/[?&]range=7d(&|$)/);
    await page.reload();
    await expect.poll(() => requestsShown(page), PATIENTLY).toBe(week);
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);

    await periods.getByText('Dates').click();
    const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
    await page.getByLabel('From', { exact: true }).fill(day);
    await page.getByLabel('To', { exact: true }).fill(day);
    const fromMs = Date.parse(day);
    const answer = await page.request.get(`/api/usage?fromMs=${fromMs}&toMs=${fromMs + DAY_MS}&width=hour`);
    const { totals } = usageAnswer.parse(await answer.json());
    const oneDay = WHOLE.format(totals.requests);
    expect(oneDay).not.toBe(week);
    await expect.poll(() => requestsShown(page), PATIENTLY).toBe(oneDay);
    const address = new URL(page.url()).searchParams;
    expect([address.get('from'), address.get('to')]).toEqual([day, day]);
    await page.reload();
    await expect.poll(() => requestsShown(page), PATIENTLY).toBe(oneDay);
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(day);
  });

  it('can be filtered by key, and each file begins with the names of its columns', async () => {
    await page.goto('/dashboard/usage?range=30d');
    const table = page.getByRole('table', { name: 'Recent requests' });
    await table.waitFor();
    const filter = page.getByRole('combobox', { name: 'Key' });
    const wanted = 'Demo data: nightly job';
    await filter.selectOption({ label: wanted });
    const keys = table.locator('tbody tr > td:nth-child(3)');
    await expect
      .poll(async () => new Set(await keys.allTextContents()), PATIENTLY)
      .toEqual(new Set([`${wanted} (demo)`]));
    expect(new URL(page.url()).searchParams.get('key')).toBe(await filter.inputValue());

    const usage = await download(page, 'Usage CSV');
    expect(usage.header).toMatch(/^starts_at,model,key_name,.*,cost_usd$/);
    expect(usage.rows.length).toBeGreaterThan(30);
    const requests = await download(page, 'Requests CSV');
    expect(requests.header).toMatch(/^ended_at,request_id,model,.*,cost_usd$/);
    expect(requests.rows.length).toBeGreaterThan(0);
    expect(requests.rows.filter((row) => !row.includes(wanted))).toEqual([]);
  });

  it('is, of requests, what the caller was answered, also of those that no provider got', async () => {
    await using guest = await browser.visit();
    await signUpUnseen(guest, newPerson());
    const created = await guest.page.request.post('/api/keys', {
      data: { name: 'first' },
      headers: { origin: guest.siteUrl },
    });
    const { rawKey } = createKeyAnswer.parse(await created.json());
    const send = async (model: string, more: object = {}) => {
      const answer = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
      });
      await answer.arrayBuffer();
      return answer.status;
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
    const rejected = table.getByRole('row', { name: /Failed 400 upstream_rejected/ });
    await rejected.getByRole('link').click();
    await guest.page.getByText(/The provider answered that it does not take this request/).waitFor();
    expect(await guest.page.getByText('400 upstream_rejected', { exact: true }).count()).toBe(1);
    expect(await guest.page.getByText(/No provider/).count()).toBe(0);
    expect(guest.problems).toEqual([]);
  });

  it('is on a phone a page that has an end', async () => {
    await using phone = await browser.visit({ viewport: PHONE });
    await phone.context.addCookies(await visitor.context.cookies());
    await phone.page.goto('/dashboard/usage?range=30d');
    const requests = phone.page.getByRole('list', { name: 'Recent requests' }).getByRole('listitem');
    await requests.first().waitFor();
    await expect.poll(() => requests.count(), PATIENTLY).toBe(10);
    const height = (await phone.page.locator('body').boundingBox())?.height ?? 0;
    console.log(`the usage page on a phone is ${height} px long`);
    expect(height).toBeLessThan(7_000);
  });

  it('is, of models, what one searches for and what can do what one needs', async () => {
    await using guest = await browser.visit();
    await guest.page.goto('/models');
    const ids = guest.page.getByRole('list', { name: 'Models' }).locator('code');
    await ids.first().waitFor();
    await expect.poll(() => ids.count(), PATIENTLY).toBe(12);
    await guest.page.getByLabel('Capability').selectOption({ label: 'Chat' });
    await expect.poll(() => ids.allTextContents(), PATIENTLY).toEqual(['sim/chat-free', 'sim/chat-pro']);
    await guest.page.getByLabel('Search').fill('pro');
    await expect.poll(() => ids.allTextContents(), PATIENTLY).toEqual(['sim/chat-pro']);
    await guest.page.getByLabel('Search').fill('no such model');
    await guest.page.getByRole('button', { name: 'Show all models' }).click();
    await expect.poll(() => ids.count(), PATIENTLY).toBe(12);
    expect(guest.problems).toEqual([]);
  });

  it('is, of the status, all parts and models, without any sign-in', async () => {
    await using guest = await browser.visit();
    await guest.page.goto('/status');
    const parts = guest.page.getByRole('region', { name: 'Parts' }).getByRole('listitem');
    await parts.first().waitFor();
    await expect.poll(() => parts.count(), PATIENTLY).toBeGreaterThanOrEqual(2);
    await guest.page.getByRole('row', { name: /sim\/chat-free/ }).waitFor();
    expect(new URL(guest.page.url()).pathname).toBe('/status');
    expect(guest.problems).toEqual([]);
  });
});

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
