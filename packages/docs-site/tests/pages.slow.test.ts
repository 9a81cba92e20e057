import { findChromium, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const search = findChromium();
const WIDTHS = [1440, 390];

describe.skipIf('missing' in search)('the documentation site in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await startGateway({ catalog: true });
    if ('missing' in search) return;
    browser = await chromium.launch({ executablePath: search.executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** @returns a page, and its warnings, errors and requests to other origins */
  async function open(path: string, width = 1440): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(gateway.baseUrl) && !request.url().startsWith('data:'))
        problems.push(request.url());
    });
    await page.goto(gateway.baseUrl + path, { waitUntil: 'networkidle' });
    return { page, problems };
  }

  it('has a search that leads to the heading', async () => {
    const { page, problems } = await open('/docs/guide/');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('circuit breakers');
    const result = page.locator('.result').first();
    await result.waitFor();
    await result.click();
    await page.waitForURL(/\.html#/);
    expect(await page.locator('h1').first().textContent()).toMatch(/\w/);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('links its pages, and the API reference in both directions', async () => {
    const { page, problems } = await open('/docs/guide');
    expect(new URL(page.url()).pathname).toBe('/docs/guide/');
    await page.getByRole('link', { name: 'Roles' }).first().click();
    await page.waitForURL('**/docs/guide/roles.html');
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL('**/docs');
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL('**/docs/guide/');
    expect(problems).toEqual([]);
    await page.close();
  });

  it.for(WIDTHS)('has no page that is wider than a screen of %i pixels', async (width) => {
    for (const path of [
      '',
      'start.html',
      'install.html',
      'configuration.html',
      'reference/feature-matrix.html',
    ]) {
      const { page, problems } = await open(`/docs/guide/${path}`, width);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect([path, overflow]).toEqual([path, 0]);
      expect(problems).toEqual([]);
      await page.close();
    }
  });
});
