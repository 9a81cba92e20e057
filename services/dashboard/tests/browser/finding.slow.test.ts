import type { CreateKeyResponseMessage } from '@model-gateway/contracts';
import { addPool } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAndCopyKey, inPage, newPerson, type Person } from './act.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const WORKERS = 11;

describe.skipIf(NO_BROWSER !== undefined)('the dashboard', () => {
  const site = withBrowser(() => ({ dashboard: { SIGNUP: 'closed' }, ownPools: true }));
  let visitor: Visitor;
  let page: Page;
  let person: Person;

  beforeAll(async () => {
    visitor = await site.browser.visit();
    page = visitor.page;
    person = newPerson();
    await openAccount(visitor, person);
    for (let worker = 1; worker <= WORKERS; worker++) await createKey(`worker ${worker}`);
    const { key } = await createKey('support bot');
    await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'revokeKey', { keyId: key?.id ?? '' });
  });
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]();
  });

  function createKey(name: string): Promise<CreateKeyResponseMessage> {
    return site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'createKey', { account: person.email, name });
  }

  /** Opens an account as an operator does while sign-up is closed, and signs in with its reset link. */
  async function openAccount(
    { page: { request }, siteUrl }: Visitor,
    { name, email, password }: Person,
  ): Promise<void> {
    await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'createAccount', { email, name });
    const { token } = await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'resetPassword', {
      account: email,
    });
    const headers = { origin: siteUrl };
    const reset = await request.post('/api/password-reset', { data: { token, password }, headers });
    expect(reset.status()).toBe(204);
    const signedIn = await request.post('/api/auth/sign-in/email', { data: { email, password }, headers });
    expect(signedIn.status()).toBe(200);
  }

  it('searches, sorts and filters many keys, stores that in the URL, and undoes it with Back', async () => {
    await page.goto('/dashboard/api-keys');
    const names = page.locator('tbody th');
    await expect.poll(() => names.count(), POLL).toBe(WORKERS + 1);
    expect(await names.first().textContent()).toBe('support bot');
    await page.getByLabel('Sort').selectOption({ label: 'By name' });
    await expect.poll(() => names.first().textContent(), POLL).toBe('support bot');
    expect((await names.allTextContents()).slice(1, 4)).toEqual(['worker 1', 'worker 2', 'worker 3']);
    await page.getByRole('radiogroup', { name: 'Which keys' }).getByText('Active').click();
    await expect.poll(() => names.count(), POLL).toBe(WORKERS);
    await page.getByLabel('Search').pressSequentially('worker 1');
    const found = ['worker 1', 'worker 10', 'worker 11'];
    await expect.poll(() => names.allTextContents(), POLL).toEqual(found);
    expect(new URL(page.url()).search).toBe('?sort=name&show=active&q=worker+1');
    await page.reload();
    await expect.poll(() => names.allTextContents(), POLL).toEqual(found);

    await page.goBack();
    await expect.poll(() => names.count(), POLL).toBe(WORKERS);
    expect(await page.getByLabel('Search').inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => names.count(), POLL).toBe(WORKERS + 1);
    await page.goBack();
    await expect.poll(() => page.getByLabel('Sort').inputValue(), POLL).toBe('created');
    expect(new URL(page.url()).search).toBe('');
  });

  it('links to the API reference from a new key, the navigation and the sign-in page, and to code for each client', async () => {
    await page.goto('/dashboard/api-keys');
    await createAndCopyKey(page, 'first');
    const dialog = page.getByRole('dialog');
    const docs = `${site.gateway.baseUrl}/docs`;
    expect(await dialog.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(docs);
    // In a new tab, because leaving the dialog would lose the key.
    expect(await dialog.getByRole('link', { name: 'API reference' }).getAttribute('target')).toBe('_blank');
    const recipes = dialog.getByRole('link', { name: 'First request' });
    expect(await recipes.getAttribute('target')).toBe('_blank');
    const [opened] = await Promise.all([page.context().waitForEvent('page'), recipes.click()]);
    await opened.getByRole('heading', { name: 'First request', level: 1 }).waitFor();
    const navigation = opened.getByRole('navigation', { name: 'Dashboard' });
    expect(await navigation.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(docs);
    await opened.getByRole('tab', { name: 'Python' }).click();
    await opened.getByText(`base_url="${site.gateway.baseUrl}/v1"`).waitFor();
    await opened.getByText(`model="sim/chat-free"`).waitFor();
    await opened.close();
    await using guest = await site.browser.visit();
    await guest.page.goto('/sign-in');
    expect(await guest.page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(docs);
    expect((await fetch(docs)).status).toBe(200);
  });

  it('shows the operator’s command for an account while sign-up is closed, and for a new password without mail', async () => {
    await using guest = await site.browser.visit();
    await guest.page.goto('/sign-up');
    await guest.page.getByRole('heading', { name: 'Only the operator creates accounts' }).waitFor();
    const create = guest.page.getByText('gatewayctl accounts create --email you@example.com', {
      exact: true,
    });
    await create.waitFor();
    await guest.page
      .getByText('gatewayctl accounts reset-password you@example.com', { exact: true })
      .waitFor();
    await guest.page.getByRole('link', { name: 'Back to sign-in' }).click();
    await create.waitFor();
    await guest.page
      .getByText('gatewayctl accounts reset-password you@example.com --no-revoke-keys')
      .waitFor();
    expect(guest.problems).toEqual([]);
  });

  it('shows the operator’s command for a pool before a request to a paid model', async () => {
    const command = `gatewayctl pools add --account ${person.email} --usd 5.00 --resets monthly`;
    await page.goto('/dashboard/usage');
    await page.getByRole('region', { name: 'Pools' }).getByText(command).waitFor();
    await page.goto('/dashboard/playground');
    await page.getByLabel('Model', { exact: true }).selectOption('sim/chat-pro');
    const notice = page.getByRole('note').filter({ hasText: 'No balance for this model' });
    await notice.getByText(command).waitFor();
    await notice.getByRole('button', { name: 'Copy command' }).click();
    await notice.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await inPage(page, 'navigator.clipboard.readText()', z.string())).toBe(command);
    await page.getByLabel('Model', { exact: true }).selectOption('sim/chat-free');
    await notice.waitFor({ state: 'detached' });

    await addPool(site.gateway.admin, { kind: 'account', id: person.email }, '5.00');
    await page.goto('/dashboard/usage');
    await page.getByText('$5.00 left of $5.00').waitFor();
    expect(await page.getByText(command).count()).toBe(0);
  });
});
