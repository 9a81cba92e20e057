import { readFile } from 'node:fs/promises';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { closeNewKey, createAndCopyKey, newPerson, type Person, signInUnseen, signUpUnseen } from './act.ts';
import {
  DISPLAYS,
  expectLayout,
  expectNoFaultOn,
  OF_AXE,
  SMALL_LAPTOP_LIGHT,
  seriousViolations,
  setDisplay,
} from './every-page.ts';
import { LAPTOP, NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

describe.skipIf(NO_BROWSER !== undefined)('the audit page', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  async function signedUp(visitor: Visitor): Promise<Person> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await visitor.page.goto('/dashboard/api-keys');
    return person;
  }

  it('lists what happened in the account, by action and by person, on every display', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const { email } = await signedUp(visitor);
    const name = 'A key with a name that is as long as somebody in a hurry may want it to be';
    await createAndCopyKey(page, name);
    await closeNewKey(page);
    await page.goto('/dashboard/audit');
    const events = page.getByRole('table', { name: 'Audit events' });
    await events.getByText('account.created').waitFor();
    await expectNoFaultOn([...DISPLAYS, SMALL_LAPTOP_LIGHT], visitor, { name: 'audit-events' });
    // Smaller windows show cards instead of the table.
    await page.setViewportSize(LAPTOP);
    expect(await page.locator('datalist option[value="member.role_changed"]').count()).toBe(1);
    expect(await page.locator(`datalist option[value="${email}"]`).count()).toBe(1);
    await page.getByLabel('Action').fill('api_key.created');
    await page.getByLabel('Done by').fill(email);
    await expect.poll(() => events.getByRole('row').count(), POLL).toBe(2);
    await events.getByText(name).first().waitFor();
    expect(page.url()).toContain('action=api_key.created');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export (NDJSON)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit-events.ndjson');
    await page.getByLabel('Done by').fill('nobody@example.com');
    await page.getByText('No event matches.').waitFor();
    expect(await page.getByRole('radio', { name: 'Operate' }).count()).toBe(0);
    expect(visitor.problems.filter((each) => !/content security policy|preload/i.test(each))).toEqual([]);
  });

  it('shows auditors all accounts in the console, and their own in the dashboard', async () => {
    await using other = await site.browser.visit();
    const stranger = await signedUp(other);
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = await signedUp(visitor);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', person.email);
    const { admin } = site.gateway;
    await admin.call(TIMEOUT_MS, 'members', 'grantRole', { email: person.email, role: 'auditor' });
    await signInUnseen(visitor, person);
    // A table, and cards in narrow windows.
    const events = page.getByLabel('Audit events', { exact: true });
    await page.goto('/operate/audit?action=account.created');
    await events.getByText(stranger.email).first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export (NDJSON)' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    const exported = lines.map((line) => JSON.parse(line));
    expect(exported.map(({ action }) => action)).toEqual(lines.map(() => 'account.created'));
    expect(exported.map(({ object }) => object.name)).toContain(stranger.email);
    await setDisplay(visitor, SMALL_LAPTOP_LIGHT);
    await expectLayout(visitor, 'the audit page of all accounts');
    expect(await seriousViolations(page)).toEqual([]);
    await page.setViewportSize(LAPTOP);
    await page.goto('/dashboard/audit?action=account.created');
    await events.getByText(person.email).first().waitFor();
    expect(await events.getByText(stranger.email).count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== undefined)('the admin keys page', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  it('creates a key, which it shows once, and revokes it', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/admin-keys');
    await page.getByText('No admin key yet.').waitFor();
    await page.getByRole('button', { name: 'Create admin key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Terraform of the platform team in Frankfurt');
    await dialog.getByRole('button', { name: 'Create admin key' }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByLabel('keys:write').check();
    await dialog.getByLabel('usage:read').check();
    await dialog.getByRole('button', { name: 'Create admin key' }).click();
    const secret = (await page.getByRole('textbox', { name: 'Admin key' }).textContent()) ?? '';
    expect(secret).toMatch(/^gw_admin_/);
    const shown = { name: 'new-admin-key', expected: OF_AXE };
    await expectNoFaultOn([...DISPLAYS, SMALL_LAPTOP_LIGHT], visitor, shown);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: /^Revoke Terraform/ }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
  });
});
