import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeNewKey, createAndCopyKey, inPage, newPerson, signIn, signUpUnseen } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const FOCUSED = `(() => {
  const { activeElement } = document;
  return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
})()`;

describe.skipIf(NO_BROWSER !== undefined)('a session in the browser', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  it('leaves nothing of the account behind the back button after the sign-out', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await page.goto('/dashboard/api-keys');
    await createAndCopyKey(page, 'Mine alone');
    await closeNewKey(page);
    await page.goto('/dashboard/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.goto('/dashboard/account');
    await page.getByText(person.email).first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    for (let steps = 0; steps < 2; steps++) {
      await page.goBack();
      await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
      for (const secret of [person.email, person.name, 'Mine alone'])
        expect(await page.content(), secret).not.toContain(secret);
    }
  });

  it('starts after a password reset, whose link works once', async () => {
    const person = newPerson();
    await using old = await site.browser.visit();
    await signUpUnseen(old, person);
    await old.page.goto('/dashboard/api-keys');
    await old.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    const { token } = await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'resetPassword', {
      account: person.email,
    });
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const renewed = { ...person, password: 'something else altogether' };
    await setPassword(page, token, renewed.password);
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
    expect(page.url()).not.toContain(token);
    await signIn(page, renewed);

    await using second = await site.browser.visit();
    await setPassword(second.page, token, 'the password of a thief');
    await second.page.getByRole('alert').waitFor();
    await second.page.goto('/sign-in');
    await second.page.getByLabel('E-mail').fill(person.email);
    await second.page.locator('input[type=password]').fill('the password of a thief');
    await second.page.keyboard.press('Enter');
    await second.page.getByRole('alert').waitFor();
    // The session of the old password has ended.
    await old.page.reload();
    await old.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  });

  it('needs no mouse: Tab leads past the skip link and the navigation to a dialog, and back to where it was opened', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    const stops: string[] = [];
    while (stops.at(-1) !== 'Create key' && stops.length < 30) {
      await page.keyboard.press('Tab');
      stops.push(await inPage(page, FOCUSED, z.string()));
    }
    expect(stops[0]).toBe('Skip to the content');
    const names = ['API keys', 'Usage', 'Teams', 'Models', 'Playground', 'Status', 'Create key'];
    expect(stops.filter((stop) => names.includes(stop))).toEqual(names);

    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const inDialog = 'document.activeElement?.closest("[role=dialog]") !== null';
    await expect.poll(() => inPage(page, inDialog, z.boolean()), POLL).toBe(true);
    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.press('Tab');
      expect(await inPage(page, inDialog, z.boolean())).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => inPage(page, FOCUSED, z.string()), POLL).toBe('Create key');

    await page.reload();
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await inPage(page, 'document.activeElement?.id', z.string())).toBe('main');
  });

  it('goes on in a tab that is older than the site, which reloads itself once', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    let loads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1;
    });
    let missing = 0;
    await visitor.context.route('**/assets/teams-page-*.js', async (route) => {
      if (loads > 0) return await route.continue();
      missing += 1;
      await route.fulfill({ status: 404, contentType: 'text/plain', body: 'gone' });
    });
    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    await page.getByRole('heading', { name: 'You are not in a team yet' }).waitFor();
    expect(missing).toBeGreaterThan(0);
    expect(loads).toBe(1);
  });
});

async function setPassword(page: Page, token: string, password: string): Promise<void> {
  await page.goto(`/reset-password#token=${token}`);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
}
