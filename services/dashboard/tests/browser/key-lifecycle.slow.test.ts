import { dumpTables } from '@model-gateway/test-kit/dump-tables';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeNewKey, createAndCopyKey, inPage, newPerson, signUp, signUpUnseen } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';

/** Lists everything that a page can store in a browser. */
const EVERYTHING_STORED = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href,
  (await indexedDB.databases()).map(({ name }) => name), 'caches' in window ? await caches.keys() : [],
]))()`;
/**
 * The page promises 5 s. On a busy machine the browser may add as much. A page that does not poll never shows
 * the request.
 */
const SHOWN_WITHIN_MS = 20_000;

describe.skipIf(NO_BROWSER !== undefined)('an API key, from sign-up to its end', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  const clientOf = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${site.gateway.baseUrl}/v1`, maxRetries: 0 });
  const chat = (apiKey: string) =>
    clientOf(apiKey)
      .chat.completions.create({
        model: 'sim/chat-free',
        messages: [{ role: 'user', content: 'Say hello.' }],
      })
      .asResponse();

  it('is not created with a cut name if the name is too long', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('n'.repeat(201));
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Choose a name of at most 200 characters: this one has 201.').waitFor();
    await dialog.getByLabel('Name').fill('n'.repeat(200));
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('button', { name: 'Copy key' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('is copied from the page, works with the OpenAI SDK, shows in usage within seconds, and is refused right after its revocation', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUp(page, newPerson());
    const rawKey = await createAndCopyKey(page, 'lifecycle');
    expect(rawKey).toMatch(/^gw_live_[0-9A-Za-z]{49}$/);
    await closeNewKey(page);

    await page.goto('/dashboard/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const response = await chat(rawKey);
    const answeredAtMs = performance.now();
    const requestId = response.headers.get('x-request-id');
    await page.locator(`a[href="/dashboard/usage/requests/${requestId}"]`).first().waitFor();
    const shownAfterMs = performance.now() - answeredAtMs;
    console.log(`shown in usage after ${Math.round(shownAfterMs)} ms`);
    expect(shownAfterMs).toBeLessThan(SHOWN_WITHIN_MS);

    await page.locator(`a[href="/dashboard/usage/requests/${requestId}"]`).first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText(String(requestId)).first().waitFor();

    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Revoke lifecycle' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const refused = await chat(rawKey).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' });
    await page
      .getByRole('row', { name: /lifecycle/ })
      .getByText('Revoked')
      .waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('stays visible after Escape, a click outside and Done until it is copied or confirmed', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('kept');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = dialog.getByLabel('API key', { exact: true });
    await shown.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByText('You have not copied the key').waitFor();
    expect(await shown.textContent()).toMatch(/^gw_live_/);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toMatch(/gw_live_[0-9A-Za-z]{49}/);
  });

  it('is in no later page, response, storage, table or log line', async () => {
    await using visitor = await site.browser.visit({ keepBodies: true });
    const { page, context } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(page, 'shown once');
    await closeNewKey(page);
    expect((await visitor.bodies()).filter(({ body }) => body.includes(rawKey))).toHaveLength(1);
    await chat(rawKey);
    await page.evaluate("navigator.clipboard.writeText('')");

    const places = ['api-keys', 'usage', 'teams', 'models', 'playground', 'account'];
    for (const place of places) {
      await page.goto(`/dashboard/${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.content(), place).not.toContain(rawKey);
    }
    await page.goBack();
    await page.reload();
    const stored = await inPage(page, EVERYTHING_STORED, z.string());
    expect(stored).not.toContain(rawKey);
    expect(stored).not.toContain(rawKey.slice(16));
    expect(JSON.stringify(await context.cookies())).not.toContain(rawKey);
    expect((await visitor.bodies()).filter(({ body }) => body.includes(rawKey))).toHaveLength(1);
    expect(site.gateway.logText()).not.toContain(rawKey);
    expect(await dumpTables(site.gateway.databaseUrl)).not.toContain(rawKey);
  });
});
