import { createServer, type Server } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { chatBody, postJson, until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../identity-provider-fixture.ts';
import { closeNewKey, createAndCopyKey, inPage, newPerson, signUp, signUpUnseen } from './act.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><circle cx="15" cy="15" r="15"/></svg>';

/** Returns the problems of a visitor, except requests to these origins. */
function problemsBeside({ problems }: Visitor, ...origins: string[]): string[] {
  return problems.filter((problem) => !origins.some((origin) => problem.startsWith(`request to ${origin}/`)));
}

describe.skipIf(NO_BROWSER !== undefined)('the product of a seller', () => {
  let logoServer: Server;
  let logoOrigin: string;
  const site = withBrowser(async () => {
    logoServer = createServer((_req, res) => res.setHeader('content-type', 'image/svg+xml').end(LOGO));
    logoOrigin = `http://127.0.0.1:${await listen(logoServer, 0, '127.0.0.1')}`;
    return {
      ownPools: true,
      dashboard: {
        PRODUCT_NAME: "Acme's Models",
        PRODUCT_LOGO_URL: `${logoOrigin}/logo.svg?size=30&dark=no`,
        TERMS_URL: 'https://acme.example.com/terms',
        CREDIT_URL: 'https://acme.example.com/credit/{account_id}',
        HIDE_UPSTREAMS: 'true',
      },
    };
  });
  afterAll(() => closeServer(logoServer, 0));

  it('has its name, its logo and its terms on every page, and nothing else of other origins', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const response = await page.goto('/sign-up');
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy.split(';')).toContain(`img-src 'self' data: ${logoOrigin}`);
    expect(await response?.text()).toContain("<title>Acme's Models</title>");
    const terms = page.getByRole('link', { name: 'terms of use' });
    expect(await terms.getAttribute('href')).toBe('https://acme.example.com/terms');
    await signUp(page, newPerson());
    for (const path of ['/dashboard/api-keys', '/status', '/sign-in']) {
      await page.goto(path);
      await page.getByRole('link', { name: "Acme's Models" }).first().waitFor();
      await page.getByRole('link', { name: 'Terms', exact: true }).waitFor();
      await until(async () => (await page.title()).endsWith("· Acme's Models"));
      const width = `document.querySelector('a img').naturalWidth`;
      await until(async () => (await inPage(page, width, z.number())) === 30);
      expect(await page.content()).not.toContain('Model Gateway');
    }
    expect(problemsBeside(visitor, logoOrigin)).toEqual([]);
  });

  it('shows its name alone if the logo does not load, also on a narrow phone', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.route(`${logoOrigin}/**`, (route) => route.fulfill({ status: 404 }));
    await page.goto('/sign-up');
    const logo = page.getByRole('link', { name: "Acme's Models" }).first();
    await logo.locator('img').waitFor({ state: 'detached' });
    await logo.getByText("Acme's Models").waitFor();
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await logo.locator('img').waitFor({ state: 'detached' });
    const name = await logo.getByText("Acme's Models").boundingBox();
    expect(name?.width).toBeGreaterThan(40);
  });

  it('shows a link to buy credit instead of commands for the operator', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    for (const path of ['/dashboard/usage', '/dashboard/playground?model=sim/chat-pro']) {
      await page.goto(path);
      const link = page.getByRole('link', { name: 'Buy credit' });
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/acme\.example\.com\/credit\/acct_\w+$/);
      expect(await page.content()).not.toMatch(/gatewayctl|ask your operator/);
    }
    expect(problemsBeside(visitor, logoOrigin)).toEqual([]);
  });

  it('shows plain sentences instead of commands where customers sign in and see their limits', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.goto('/sign-in');
    await page.getByText('Ask the operator of this site for a link to choose a new one.').waitFor();
    expect(await page.content()).not.toContain('gatewayctl');
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await createAndCopyKey(page, 'Laptop');
    await closeNewKey(page);
    await page.goto('/dashboard/usage');
    await page.getByText('Ask the operator of this site for higher limits.').waitFor();
    expect(await page.content()).not.toContain('gatewayctl');
    expect(problemsBeside(visitor, logoOrigin)).toEqual([]);
  });

  it('shows the link to buy credit while there is plenty', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await site.gateway.admin.call(30_000, 'pools', 'addPool', {
      owner: { kind: 'account', id: person.email },
      includedUsd: '10',
      resets: 'never',
    });
    for (const [path, name] of [
      ['/dashboard/usage', 'Pools'],
      ['/dashboard/statements', 'Balance'],
    ] as const) {
      await page.goto(path);
      const balance = page.getByRole('region', { name });
      await balance.getByText('10.00').first().waitFor();
      await balance.getByRole('link', { name: 'Buy credit' }).waitFor();
    }
    expect(problemsBeside(visitor, logoOrigin)).toEqual([]);
  });

  it('hides the upstreams of a request, and lists the request on the statement of the month', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await site.gateway.admin.call(30_000, 'pools', 'addPool', {
      owner: { kind: 'account', id: person.email },
      name: 'Bought',
      includedUsd: '10',
      resets: 'never',
    });
    await page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(page, 'Laptop');
    await closeNewKey(page);
    const chat = await postJson(
      site.gateway.baseUrl,
      rawKey,
      'chat/completions',
      chatBody({ model: 'sim/chat-pro' }),
    );
    expect(chat.status, await chat.text()).toBe(200);
    const receipt = `/dashboard/usage/requests/${chat.headers.get('x-request-id')}`;
    await until(async () => (await page.request.get(`/api${receipt.slice('/dashboard/usage'.length)}`)).ok());
    await page.goto(receipt);
    await page.getByText('upstream-1').first().waitFor();
    await page.goto('/dashboard/statements');
    await page.getByRole('heading', { name: 'Statements', level: 1 }).waitFor();
    await page.getByText('10.000000000 USD').waitFor();
    await page.getByText('Laptop').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'PDF' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^statement-20\d\d-\d\d\.pdf$/);
    expect(problemsBeside(visitor, logoOrigin)).toEqual([]);
  });
});

describe.skipIf(NO_BROWSER !== undefined)('single sign-on alone, with two identity providers', () => {
  let entra: IdentityProvider;
  let google: IdentityProvider;
  const site = withBrowser(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    entra = await startIdentityProvider({ id: 'entra', publicUrl });
    google = await startIdentityProvider({ id: 'google', publicUrl });
    return {
      dashboard: {
        PORT: String(port),
        SSO_ONLY: 'true',
        ALLOWED_EMAIL_DOMAINS: 'corp.example',
        OIDC_PROVIDERS: 'entra,google',
        OIDC_ENTRA_NAME: 'Corporate account',
        OIDC_ENTRA_ISSUER: entra.issuer,
        OIDC_ENTRA_CLIENT_ID: CLIENT.id,
        OIDC_ENTRA_CLIENT_SECRET: CLIENT.secret,
        OIDC_ENTRA_EMAIL_DOMAINS: 'corp.example',
        OIDC_GOOGLE_NAME: 'Google',
        OIDC_GOOGLE_ISSUER: google.issuer,
        OIDC_GOOGLE_CLIENT_ID: CLIENT.id,
        OIDC_GOOGLE_CLIENT_SECRET: CLIENT.secret,
      },
    };
  });
  afterAll(async () => {
    await entra?.close();
    await google?.close();
  });

  /** Signs in with the pages of the dashboard and of the provider. */
  async function signInWith({ page }: Visitor, name: string, login: string): Promise<void> {
    // The pages of the identity provider load a font from elsewhere.
    await page.route('https://**', (route) => route.abort());
    await page.goto('/sign-in');
    await page.getByRole('button', { name: `Continue with ${name}` }).click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('button[type=submit]').click();
  }

  it('shows their buttons and no password, and signs in to the account page without one', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.goto('/sign-up');
    await page.getByRole('button', { name: 'Continue with Google' }).waitFor();
    expect(await page.locator('input[type=password]').count()).toBe(0);
    expect(await page.getByText('gatewayctl').count()).toBe(0);
    await signInWith(visitor, 'Corporate account', 'ada|ada@corp.example');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    // Counts only problems of the dashboard's own pages.
    visitor.problems.length = 0;
    await page.goto('/dashboard/account');
    await page.getByText('Confirmed', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  it('explains why an address cannot sign in', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signInWith(visitor, 'Google', 'eve|ada@corp.example|true');
    await page.getByText('signs in here in another way').waitFor();
    await using other = await site.browser.visit();
    await signInWith(other, 'Google', 'bob|bob@home.example|true');
    await other.page.getByText('addresses of this domain are not allowed').waitFor();
  });
});
