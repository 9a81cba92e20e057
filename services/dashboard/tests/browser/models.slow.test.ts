import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, providerEntry } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inPage } from './act.ts';
import { seriousViolations } from './every-page.ts';
import { LAPTOP, NO_BROWSER, PHONE, SMALL_LAPTOP, withBrowser } from './open-browser.ts';
import { pageCpu } from './page-cpu.ts';
import { POLL } from './timeouts.ts';
import { brokenWords } from './whole-words.ts';

const PROVIDERS = ['anthropic', 'bedrock', 'cohere', 'gemini', 'groq', 'mistral', 'openai', 'vertex'];
const MODELS = 500;
/**
 * Limit for the CPU time of the page. A change takes at most 0.5 s; it takes minutes if each row goes through
 * all others.
 */
const MAX_CHANGE_MS = 5_000;

/** Returns 500 models with ids as long as those of real providers; every tenth is for embeddings and free. */
function largeCatalog(baseUrl: string): CatalogDocumentInput {
  const pricing = { input_per_million_usd: '3.00', output_per_million_usd: '15.00' };
  return {
    providers: [providerEntry('sim', baseUrl)],
    models: Array.from({ length: MODELS }, (_, index) => {
      const id = `${PROVIDERS[index % PROVIDERS.length]}/us.acme.assistant-large-instruct-20250929-v1:${index}`;
      const embeds = index % 10 === 0;
      return modelEntry(
        id,
        { sim: embeds ? 'sim-embed-pro' : 'sim-chat-pro' },
        {
          name: `Assistant ${index}`,
          capability: embeds ? 'embeddings' : 'chat',
          ...(!embeds && index % 2 === 0 && { tier: 'paid', pricing }),
          context_length: 200_000,
        },
      );
    }),
  };
}

describe.skipIf(NO_BROWSER !== undefined)('the page of 500 models', () => {
  const site = withBrowser(() => ({ dashboard: true, document: largeCatalog }));
  const rows = (page: Page) => page.locator('tbody tr');
  const heightOf = (page: Page) => inPage(page, 'document.documentElement.scrollHeight', z.number());

  async function open(page: Page, query = ''): Promise<void> {
    await page.goto(`/models${query}`);
    await page.getByText(/^\d+ (of 500 )?models$/).waitFor();
  }

  it.each([LAPTOP, SMALL_LAPTOP, PHONE])('is short at $width px and breaks no id', async (viewport) => {
    await using visitor = await site.browser.visit({ viewport });
    const { page } = visitor;
    await open(page);
    expect(await heightOf(page)).toBeLessThan(1_500);
    await page.getByRole('button', { name: 'anthropic (63)' }).click();
    await page.getByRole('button', { name: 'Show all 63' }).waitFor();
    expect(await heightOf(page)).toBeLessThan(viewport === PHONE ? 7_000 : 3_200);
    expect(await brokenWords(page)).toEqual([]);
    await open(page, '?q=assistant 49');
    await page.getByText('Assistant 49', { exact: true }).waitFor();
    expect(await heightOf(page)).toBeLessThan(viewport === PHONE ? 3_500 : 2_500);
    expect(visitor.problems).toEqual([]);
  });

  it('would be found to break ids if it did', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(page, '?q=v1:42');
    expect(await brokenWords(page)).toEqual([]);
    await page.evaluate(
      `for (const id of document.querySelectorAll('[data-id] span')) {
        id.style.cssText = 'display: block; width: 40px; white-space: normal; overflow-wrap: anywhere';
      }`,
    );
    expect((await brokenWords(page)).length).toBeGreaterThan(0);
  });

  it('is searched, filtered and grouped, and stores that in the URL', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(page);
    expect(await rows(page).count()).toBe(0);
    await page.getByLabel('Search').fill('openai assistant');
    await page.getByLabel('Capability').selectOption('Embeddings');
    await page.getByText('12 of 500 models').waitFor();
    expect(await rows(page).count()).toBe(12);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Provider').selectOption('openai');
    await page.getByLabel('Price', { exact: true }).selectOption('Paid');
    await page.getByText('No model fits').waitFor();
    await page.getByRole('button', { name: 'Show all models' }).click();
    await page.getByText('500 models', { exact: true }).waitFor();
    await page.getByLabel('Group by').selectOption('Capability');
    await page.getByRole('button', { name: 'Embeddings (50)' }).waitFor();
    expect(new URL(page.url()).search).toBe('?group=capability');
    await page.getByRole('button', { name: 'Embeddings (50)' }).click();
    await page.getByRole('columnheader', { name: 'Provider' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'anthropic (63)' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('opens the details of a model by keyboard, copies its id, and returns the focus', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(page, '?q=assistant-large-instruct-20250929-v1:42');
    const name = page.getByRole('button', { name: 'Assistant 42', exact: true });
    await name.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Assistant 42' });
    await dialog.getByText('$15.00').waitFor();
    await dialog.getByText('200,000 tokens').waitFor();
    expect(new URL(page.url()).searchParams.get('model')).toMatch(/v1:42$/);
    expect(visitor.problems).toEqual([]);
    expect(await seriousViolations(page)).toEqual([]);
    visitor.problems.splice(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const focused = () => inPage(page, 'document.activeElement.textContent', z.string());
    await expect.poll(focused, POLL).toBe('Assistant 42');
    const copy = page.getByRole('button', { name: /^Copy .*v1:42$/ });
    await copy.focus();
    await page.keyboard.press('Enter');
    await copy.getByText('Copied').waitFor();
    const id = 'cohere/us.acme.assistant-large-instruct-20250929-v1:42';
    expect(await inPage(page, 'navigator.clipboard.readText()', z.string())).toBe(id);
    expect(visitor.problems).toEqual([]);
  });

  it('opens all models, filters them and opens one within seconds of CPU time', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(page, '?group=capability');
    const cpu = await pageCpu(page);
    const measured: Record<string, number> = {};
    const measure = async (what: string, act: () => Promise<void>, shown: () => Promise<void>) => {
      const beforeMs = await cpu.usedMs();
      await act();
      await shown();
      measured[what] = Math.round((await cpu.usedMs()) - beforeMs);
    };
    await measure(
      'open a group',
      () => page.getByRole('button', { name: 'Chat (450)' }).click(),
      () => expect.poll(() => rows(page).count(), { ...POLL, interval: 20 }).toBe(40),
    );
    await measure(
      'show all of it',
      () => page.getByRole('button', { name: 'Show all 450' }).click(),
      () => page.getByText('Assistant 499', { exact: true }).waitFor(),
    );
    expect(await rows(page).count()).toBe(450);
    await measure(
      'open the details',
      () => page.getByText('Assistant 1', { exact: true }).click(),
      () => page.getByRole('dialog').getByText('Free of charge').waitFor(),
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await measure(
      'type a letter',
      () => page.getByLabel('Search').press('7'),
      () => page.getByText(/^\d{1,2} of 500 models$/).waitFor(),
    );
    console.log(`500 models, ms of CPU time: ${JSON.stringify(measured)}`);
    for (const [what, ms] of Object.entries(measured)) expect(ms, what).toBeLessThan(MAX_CHANGE_MS);
  });
});
