import { simulatedCatalog } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { newPerson, signInUnseen, signUpUnseen } from './act.ts';
import { DISPLAYS, expectNoFaultOn, SMALL_LAPTOP_LIGHT, seriousViolations } from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const GOOD = 'good-credential-0123456789';

describe.skipIf(NO_BROWSER !== undefined)('the overview of the console', () => {
  const site = withBrowser(() => ({
    dashboard: true,
    provider: { apiKey: GOOD, tokenDelayMs: 0 },
    environment: { GOOD_KEY: GOOD, BAD_KEY: 'expired-credential-0123456789' },
    document: (baseUrl: string) => {
      const { models, providers } = simulatedCatalog(baseUrl);
      const [provider] = providers;
      if (provider === undefined) throw new Error('no provider');
      const chat = { capability: 'chat' as const, tier: 'free' as const };
      const refusing = { ...provider, id: 'acme', name: 'Acme AI', credential_env: 'BAD_KEY' };
      return {
        providers: [{ ...provider, credential_env: 'GOOD_KEY' }, refusing],
        models: [
          ...models,
          {
            ...{ ...chat, id: 'acme/small', name: 'Acme Small' },
            upstreams: [{ provider: 'acme', model: 'sim-chat-free' }],
          },
        ],
      };
    },
  }));

  async function signedIn(visitor: Visitor, role: 'operator' | 'auditor'): Promise<void> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', person.email);
    await site.gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', { email: person.email, role });
    await signInUnseen(visitor, person);
  }

  /** @returns the status */
  async function chat(rawKey: string, model: string): Promise<number> {
    const response = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  it('leads from reported errors to the refused credential, and shows the figures, on every display', async () => {
    const { rawKey } = await site.gateway.createKey();
    for (let times = 0; times < 5; times++) expect(await chat(rawKey, 'sim/chat-free')).toBe(200);
    for (let times = 0; times < 3; times++)
      expect(await chat(rawKey, 'acme/small')).toBeGreaterThanOrEqual(500);
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signedIn(visitor, 'operator');
    await page.goto('/operate');
    // Without a click: the first page names the credential, and the command that replaces it.
    const attention = page.getByRole('list', { name: 'Needs attention' });
    await attention.getByText('Provider acme refuses BAD_KEY (401): requests with it fail.').waitFor();
    await attention.getByText('gatewayctl credentials set BAD_KEY').waitFor();
    expect(await attention.getByRole('link', { name: /store a valid one/ }).getAttribute('href')).toBe(
      '/operate/providers/acme',
    );
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('Last hour').click();
    expect(new URL(page.url()).searchParams.get('period')).toBe('1h');
    const providers = page.getByRole('table', { name: 'Figures by provider' });
    await expect.poll(() => providers.locator('tbody th').allTextContents(), POLL).toEqual(['acme', 'sim']);
    const errors = providers.getByRole('link', { name: /^100%/ });
    expect(await errors.getAttribute('href')).toBe('/operate/requests?provider=acme&status=5xx&last=1h');
    await errors.click();
    await page.getByRole('table', { name: 'Requests' }).getByText('acme/small').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('region', { name: 'Usage over time' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('overview.csv');
    await page.getByRole('button', { name: 'Show charts' }).click();
    expect(visitor.problems).toEqual([]);
    await page.locator('.recharts-surface').first().waitFor();
    await expectNoFaultOn([...DISPLAYS, SMALL_LAPTOP_LIGHT], visitor, { name: 'operate-overview' });
    await page.goto('/operate/overview?period=1h');
    await errors.click();
    await page.getByText('upstream_error').first().waitFor();
    expect(visitor.problems.filter((problem) => problem.includes('status of 400'))).toEqual([]);
    await page.goto('/operate/overview?period=7d');
    await page.getByRole('table', { name: 'Accounts by spend' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'End users' }).waitFor();
    const webhooks = page.getByRole('region', { name: 'Webhooks' });
    await webhooks.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
    await dialog.getByLabel('URL').fill('https://hooks.example.com/account');
    await dialog.getByLabel('key.created').check();
    expect(await dialog.getByLabel('provider.down').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret of the webhook' });
    await secret.getByText(/^whsec_/).waitFor();
    await secret.getByRole('button', { name: 'Done' }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await webhooks.getByRole('link', { name: 'https://hooks.example.com/account' }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByRole('link', { name: 'All webhooks' }).click();
    const listed = page.getByRole('table', { name: 'Webhooks' });
    await listed.locator('a[href^="/operate/accounts/acct_"]').waitFor();
  });

  it('shows auditors the same', async () => {
    await using visitor = await site.browser.visit();
    await signedIn(visitor, 'auditor');
    await visitor.page.goto('/operate/overview?period=7d&sort=requests');
    await visitor.page.getByRole('table', { name: 'Figures by provider' }).waitFor();
    expect(await visitor.page.getByLabel('Sort tables by').inputValue()).toBe('requests');
    expect(visitor.problems).toEqual([]);
  });
});
