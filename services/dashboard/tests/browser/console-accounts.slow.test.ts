import type { TestGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person, signInUnseen, signUpUnseen } from './act.ts';
import { demoCatalog } from './demo-catalog.ts';
import { createDemoScene } from './demo-scene.ts';
import { DISPLAYS, expectNoFaultOn, setDisplay } from './every-page.ts';
import { LAPTOP, NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

/** The account of the demo scene. */
const ADA = 'ada@example.com';

describe.skipIf(NO_BROWSER !== undefined)('the accounts of the console', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true, document: demoCatalog }));
  let accountId = '';
  let operator: Visitor;

  beforeAll(async () => {
    ({ accountId } = await createDemoScene(site.gateway, site.browser));
    operator = await site.browser.visit();
    await signInAs('operator', operator);
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
  });

  /** Signs a new person in, with a role in the installation. */
  async function signInAs(role: 'auditor' | 'operator', visitor: Visitor): Promise<Person> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await giveRole(site.gateway, person.email, role);
    await signInUnseen(visitor, person);
    return person;
  }

  it('are found by the keyboard alone, from any page of the console', async () => {
    const { page } = operator;
    await setDisplay(operator, { viewport: LAPTOP, scheme: 'light' });
    await page.goto('/operate/overview');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => void sent.push(decodeURIComponent(request.url())));
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search the gateway' });
    await field.waitFor();
    await page.keyboard.type('accounts');
    await page.getByRole('option', { name: 'Accounts' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/operate/accounts');
    // A page takes the focus once it is loaded.
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await field.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('ada@');
    await page.getByRole('option', { name: ADA }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/operate/accounts/${accountId}`);
    await page.getByRole('heading', { level: 1, name: 'Ada Byron' }).waitFor();
    await field.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    const secret = `gw_live_AbCdEfGh${'s'.repeat(41)}`;
    await field.fill(secret);
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    expect(sent.filter((url) => url.includes('gw_live_AbCdEfGh')).length).toBeGreaterThan(0);
    expect(sent.filter((url) => url.includes('ssss'))).toEqual([]);
  });

  it('get credit, a budget and a list of models within a minute, and the gateway keeps to them', async () => {
    const { page } = operator;
    const person = newPerson();
    await page.goto('/operate/accounts');
    const startedMs = Date.now();
    await page.getByRole('button', { name: 'Create account' }).click();
    const create = page.getByRole('dialog', { name: 'Create account' });
    await create.getByLabel('E-mail address').fill(person.email);
    await create.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Give credit' }).click();
    const credit = page.getByRole('dialog', { name: 'Give credit' });
    await credit.getByLabel('Amount (USD)').fill('25');
    await credit.getByRole('button', { name: 'Give credit' }).click();
    await page.getByText('It pays from now on.').waitFor();
    await page.getByRole('button', { name: 'Set a budget' }).click();
    const budget = page.getByRole('dialog', { name: 'Set a budget' });
    await budget.getByLabel('Budget (USD)').fill('10');
    await budget.getByRole('button', { name: 'Set budget' }).click();
    await page.getByText('The budget is set.').waitFor();
    await page.getByRole('button', { name: 'Set the models' }).click();
    const models = page.getByRole('dialog', { name: 'Set the models' });
    await models.getByLabel('Allowed models').fill('sim/*');
    await models.getByRole('button', { name: 'Set models' }).click();
    await page.getByText('Only these models are allowed.').waitFor();
    expect(Date.now() - startedMs).toBeLessThan(60_000);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const { admin } = site.gateway;
    const { reportJson } = await admin.call(TIMEOUT_MS, 'rules', 'getRules', {
      owner: { kind: 'account', id },
    });
    expect(JSON.parse(reportJson)).toMatchObject({
      models: ['sim/*'],
      budgets: [{ usd: expect.stringMatching(/^10(\.0+)?$/), window: 'month', on_exceed: 'block' }],
    });
    await using sql = openSql(site.gateway.databaseUrl);
    expect(
      await sql.rows('SELECT included::text FROM pools WHERE owner = $1', `account:${id}`),
    ).toContainEqual({
      included: '25000000000',
    });
  });

  it('are suspended, resumed, and deleted by typing the address', async () => {
    const { page } = operator;
    const person = newPerson();
    const { id } = await site.gateway.admin.callOnce(TIMEOUT_MS, 'accounts', 'createAccount', {
      email: person.email,
      name: person.name,
    });
    await page.goto(`/operate/accounts/${id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend account' }).click();
    await page.getByText('The account is suspended.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The account is resumed.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address of the account').fill('somebody@example.com');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByText(`Enter ${person.email} to delete the account.`).waitFor();
    await dialog.getByLabel('E-mail address of the account').fill(person.email);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.waitForURL('**/operate/accounts');
  });

  it('are opened as the holder sees them, by auditors as well, who can change nothing', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const auditor = await signInAs('auditor', visitor);
    await page.goto(`/operate/accounts/${accountId}`);
    await page.getByRole('heading', { level: 1, name: 'Ada Byron' }).waitFor();
    for (const name of ['Give credit', 'Suspend', 'Delete', 'Create key', 'Edit account'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Open as the holder sees it' }).click();
    const banner = page.getByRole('region', { name: 'You are viewing the account Ada Byron' });
    await banner.getByText(`These are the pages of ${ADA}`).waitFor();
    await page.getByText('Support bot, production').first().waitFor();
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    for (const path of ['usage', 'teams', 'members', 'audit', 'account']) {
      await page.goto(`/dashboard/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await banner.waitFor();
    }
    await expectNoFaultOn(DISPLAYS, visitor, { name: 'viewed-account' });
    const created = await page.evaluate(async () => {
      const body = JSON.stringify({ name: 'not mine' });
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/api/teams', { method: 'POST', headers, body })).status;
    });
    expect(created).toBe(403);
    await banner.getByRole('button', { name: 'Leave the account' }).click();
    await page.waitForURL(`**/operate/accounts/${accountId}`);
    await page.goto('/dashboard/account');
    await page.getByRole('main').getByText(auditor.email).first().waitFor();
    expect(await banner.count()).toBe(0);
    await using sql = openSql(site.gateway.databaseUrl);
    const events = await sql.rows(
      `SELECT actor->>'email' AS email FROM audit_events WHERE action = 'account.viewed' AND account_id = $1`,
      accountId,
    );
    expect(events).toEqual([{ email: auditor.email }]);
  });

  it('are listed by thousands without rendering thousands of rows', async () => {
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(
      `INSERT INTO accounts (id, email, name)
       SELECT 'acct_bulk_' || n, 'bulk' || n || '@example.com', 'Bulk ' || n FROM generate_series(1, 600) AS n`,
    );
    const { page } = operator;
    await setDisplay(operator, { viewport: LAPTOP, scheme: 'light' });
    await page.goto('/operate/accounts?search=bulk');
    const table = page.getByRole('table', { name: 'Accounts' });
    for (let pages = 1; pages < 6; pages++) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => table.getAttribute('aria-rowcount'), POLL).toBe(String((pages + 1) * 100 + 1));
    }
    expect(await table.getByRole('row').count()).toBeLessThan(120);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await table.locator('[aria-rowindex="601"]').waitFor();
    expect(await table.getByRole('row').count()).toBeLessThan(120);
    expect(page.url()).toContain('search=bulk');
  });
});

async function giveRole(gateway: TestGateway, email: string, role: string): Promise<void> {
  await using sql = openSql(gateway.databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  await gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', { email, role });
}
