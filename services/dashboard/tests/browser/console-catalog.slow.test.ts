import { chatBody, postJson, simulatedCatalog, until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { beforeAll, describe, expect, it } from 'vitest';
import { newPerson, signInUnseen, signUpUnseen } from './act.ts';
import { DISPLAYS, expectNoFaultOn, OF_AXE, SMALL_LAPTOP_LIGHT, seriousViolations } from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const SECRET = 'sk-acme-0123456789-wxyz';

describe.skipIf(NO_BROWSER !== undefined)('providers, models and the catalog in the console', () => {
  const site = withBrowser(() => ({
    dashboard: true,
    overrides: { providerReportsMs: 100 },
    document: (baseUrl) => {
      const { models, providers } = simulatedCatalog(baseUrl);
      const acme = { id: 'acme', name: 'Acme AI', credential_env: 'ACME_API_KEY' };
      const one = {
        id: 'acme/one',
        name: 'Acme One',
        upstreams: [{ provider: 'acme', model: 'sim-chat-free' }],
      };
      return {
        providers: providers.flatMap((provider) => [provider, { ...provider, ...acme }]),
        models: [...models, { capability: 'chat', tier: 'free', ...one }],
      };
    },
  }));

  async function asRole(visitor: Visitor, role: 'auditor' | 'operator') {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', person.email);
    await site.gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', { email: person.email, role });
    await signInUnseen(visitor, person);
  }

  const expectGood = (visitor: Visitor, name: string, expected = OF_AXE) =>
    expectNoFaultOn([...DISPLAYS, SMALL_LAPTOP_LIGHT], visitor, { name, expected });

  const faults = ({ problems }: Visitor) => problems.filter((each) => !OF_AXE.test(each));

  beforeAll(async () => {
    const { admin, baseUrl } = site.gateway;
    const { rawKey } = await site.gateway.createKey();
    await admin.call(TIMEOUT_MS, 'admin', 'setCredential', { name: 'ACME_API_KEY', value: SECRET });
    const refused = chatBody({ model: 'acme/one', simulate: { status: 401 } });
    const ask = async () => (await postJson(baseUrl, rawKey, 'chat/completions', refused)).status;
    await until(async () => (await ask()) === 502);
    await ask();
  });

  it('a refused credential is one click from the overview, and set again in its place', async () => {
    await using visitor = await site.browser.visit({ keepBodies: true });
    const { page } = visitor;
    await asRole(visitor, 'operator');
    await page.goto('/operate/overview');
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    await page.getByText(/acme refused it 2 times with 401/).waitFor();
    await expectGood(visitor, 'providers');
    await page.getByRole('button', { name: 'Set ACME_API_KEY' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value', { exact: true }).fill('sk-acme-another-value-abcd');
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Store' }).click();
    await page.getByText('…abcd').waitFor();
    await expect.poll(() => page.getByText(/refused it/).count(), POLL).toBe(0);
    await page.getByRole('link', { name: 'Acme AI' }).click();
    await page.getByRole('heading', { name: 'Open circuit breakers' }).waitFor();
    await expectGood(visitor, 'provider');
    const bodies = (await visitor.bodies()).map(({ body }) => body).join('\n');
    for (const value of [SECRET, 'sk-acme-another-value-abcd']) expect(bodies).not.toContain(value);
    expect(faults(visitor)).toEqual([]);
  });

  it('a price is changed with the form, planned, applied, found in the history and rolled back', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await asRole(visitor, 'operator');
    await page.goto('/operate/catalog');
    await page.getByLabel('Entry', { exact: true }).selectOption('sim/chat-pro');
    const price = page.getByLabel('Per 1M input tokens');
    const before = await price.inputValue();
    await price.fill('7.25');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByText(`${before} → 7.25`).waitFor();
    await expectGood(visitor, 'catalog as a form');
    await page.getByText('YAML', { exact: true }).click();
    const yaml = page.getByLabel('Catalog as YAML');
    await yaml.fill(`# Ours\n${(await yaml.inputValue()).replace('capability: chat', 'capability: chess')}`);
    await page.getByRole('button', { name: 'Plan' }).click();
    await page
      .getByRole('button', { name: /^Line \d+$/ })
      .first()
      .click();
    await page.locator('textarea:focus').waitFor();
    // Browsers report the refused plan.
    await expectGood(visitor, 'catalog as YAML', /status of 400|content security policy|preload/i);
    await yaml.fill((await yaml.inputValue()).replace('capability: chess', 'capability: chat'));
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByText(`${before} → 7.25`).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(/Applied as revision/).waitFor();

    await page.goto('/operate/models/sim/chat-pro');
    await page
      .getByRole('table', { name: 'Price versions' })
      .getByText('$7.25 per 1M input tokens')
      .waitFor();
    await expectGood(visitor, 'model');
    await page.goto('/operate/models?search=chat');
    await page.getByText('sim/chat-free').first().waitFor();
    await expectGood(visitor, 'models');
    await page.goto('/operate/catalog/versions');
    await page
      .getByRole('link', { name: /^Catalog \d+$/ })
      .first()
      .waitFor();
    await expectGood(visitor, 'history');
    await page
      .getByRole('link', { name: /^Catalog \d+$/ })
      .nth(1)
      .click();
    await page.getByRole('link', { name: 'Roll back to it' }).waitFor();
    await expectGood(visitor, 'version');
    await page.getByRole('link', { name: 'Roll back to it' }).click();
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByText(`7.25 → ${before}`).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(/Applied as revision/).waitFor();
    await page.goto('/operate/models/sim/chat-pro');
    await expect
      .poll(() => page.getByRole('table', { name: 'Price versions' }).getByRole('row').count(), POLL)
      .toBe(4);
    expect(faults(visitor)).toEqual([]);
  });

  it('auditors read, and change nothing', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await asRole(visitor, 'auditor');
    await page.goto('/operate/providers');
    await page.getByRole('table', { name: 'Credentials' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Set|Remove|Store)/ }).count()).toBe(0);
    await page.goto('/operate/catalog');
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^(Add|Remove)/ }).count()).toBe(0);
    expect(faults(visitor)).toEqual([]);
  });

  it('an operator makes a price list, adds a version, and gives it to an account', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await asRole(visitor, 'operator');
    await page.goto('/operate/price-lists');
    await page.getByRole('button', { name: 'Create price list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Partners');
    await dialog.getByLabel('Factor').fill('1.5');
    await dialog.getByLabel('Exceptions').fill('- { model: "acme/*", factor: "x" }');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/models\[0\]\.factor/).waitFor();
    await dialog.getByLabel('Exceptions').fill('- { model: "acme/*", factor: "1" }');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    await page.getByRole('button', { name: 'Add version' }).click();
    await dialog.getByLabel('Factor').fill('1.25');
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '1.25' }).waitFor();

    const account = await site.gateway.createAccount();
    await page.goto(`/operate/accounts/${account}`);
    await page.getByRole('button', { name: 'Edit account' }).click();
    await dialog.getByLabel('Price list').selectOption({ label: 'Partners' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    // Browsers report the refused factor.
    expect(faults(visitor).filter((each) => !each.includes('status of 400'))).toEqual([]);
  });
});
