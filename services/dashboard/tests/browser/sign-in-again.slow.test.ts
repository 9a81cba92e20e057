import { freePort } from '@model-gateway/test-kit/free-port';
import { openSql } from '@model-gateway/test-kit/open-sql';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../identity-provider-fixture.ts';
import { seriousViolations } from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';

const ADA = 'ada|ada@corp.example|true';

describe.skipIf(NO_BROWSER !== undefined)('somebody who signs in with an identity provider', () => {
  let provider: IdentityProvider;
  const site = withBrowser(async () => {
    const port = await freePort();
    provider = await startIdentityProvider({ publicUrl: `http://127.0.0.1:${port}` });
    return {
      dashboard: {
        PORT: String(port),
        OIDC_NAME: 'Corporate account',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
      },
    };
  });
  afterAll(() => provider?.close());

  /** Lets the last proof of all sessions be too old. */
  async function ageProofs(): Promise<void> {
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(`UPDATE dashboard_sessions SET proved_at = now() - interval '11 minutes'`);
  }

  async function signedIn({ context, page }: Visitor): Promise<void> {
    // The pages of the identity provider load a font from elsewhere.
    await context.route('https://**', (route) => route.abort());
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Continue with Corporate account' }).click();
    await logIn(page, ADA);
    await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('button[type=submit]').click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  }

  /** Asks for a new key, which needs a proof. @returns the window of the identity provider */
  async function askedAgain({ page }: Visitor): Promise<Page> {
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('After a second sign-in');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    const button = proof.getByRole('button', { name: 'Continue with Corporate account' });
    await button.waitFor();
    expect(await proof.locator('input').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()]);
    return popup;
  }

  it('signs in once more in a window of its own, and gets the key that they asked for', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signedIn(visitor);
    await ageProofs();
    const popup = await askedAgain(visitor);
    // The provider asks again, although its own session goes on.
    const closed = popup.waitForEvent('close');
    await logIn(popup, ADA);
    await closed;
    await page.getByRole('dialog').getByRole('button', { name: 'Copy key' }).waitFor();
    await page.goto('/dashboard/account/security');
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await sessions.getByText('with single sign-on').waitFor();
    expect(await sessions.getByRole('row').count()).toBe(2);
  });

  it('gets nothing if the window is closed', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signedIn(visitor);
    await ageProofs();
    const popup = await askedAgain(visitor);
    await popup.locator('input[name=login]').waitFor();
    await popup.close();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByText('The window was closed before you had signed in. Try again.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Confirm that it is you, then try again.').waitFor();
  });
});

async function logIn(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
}
