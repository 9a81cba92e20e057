import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sessionResponse } from '../../wire/session.ts';
import { newPerson, type Person, signUpUnseen } from './act.ts';
import { DISPLAYS, expectLayout, expectNoFaultOn, OF_AXE, seriousViolations } from './every-page.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

/** Pages that the navigation and other pages link to. */
const PATHS = [
  'api-keys',
  'first-request',
  'usage',
  'statements',
  'teams',
  'members',
  'audit',
  'admin-keys',
  'models',
  'playground',
  'account',
  'account/security',
  'account/end-users',
  'account/end-user?id=customer-17',
];

describe.skipIf(NO_BROWSER !== undefined)('members of an account', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true }));

  async function signedUp(visitor: Visitor): Promise<Person> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    return person;
  }

  /** Opens a second account's pages to the visitor. */
  async function joined(owner: Visitor, member: Visitor, role: string): Promise<Person> {
    const person = await signedUp(member);
    const { user } = await sessionOf(owner);
    await member.page.goto(await invited(owner.page, person.email, role));
    await member.page.getByRole('heading', { name: /^Join / }).waitFor();
    await member.page.getByRole('button', { name: 'Accept invitation' }).click();
    await member.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    // The page shows the account once it has read the session again.
    await member.page.goto('/dashboard/api-keys');
    expect((await sessionOf(member)).user).toMatchObject({ accountId: user?.accountId, role });
    return person;
  }

  it('are invited by a link, change between accounts, get another role, and are removed', async () => {
    await using owner = await site.browser.visit();
    await using member = await site.browser.visit({ viewport: PHONE, scheme: 'dark' });
    const boss = await signedUp(owner);
    const { email, name } = await joined(owner, member, 'viewer');

    // The member has two accounts now; on a phone, the choice is in the drawer.
    const choice = await openChoice(member.page);
    expect(await choice.locator('option').allTextContents()).toEqual([
      `${name} (yours)`,
      `${boss.name} (viewer)`,
    ]);
    expect(await seriousViolations(member.page)).toEqual([]);
    await expectLayout(member, 'the drawer with a choice of accounts');
    await choice.selectOption({ label: `${name} (yours)` });
    await member.page.getByText('Create your first key').waitFor();
    await (await openChoice(member.page)).selectOption({ label: `${boss.name} (viewer)` });
    await member.page.getByText('No keys yet').waitFor();

    const { page } = owner;
    await page.goto('/dashboard/members');
    await page.getByRole('button', { name: `Change role of ${email}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the role' });
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByLabel('Role', { exact: true }).selectOption('developer');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('table').getByText('Developer', { exact: true }).waitFor();
    // Dashboards keep the roles of a session for a while; the control plane checks them with every call.
    await expect
      .poll(async () => (await sessionOf(member)).user?.role, { ...POLL, interval: 1_000 })
      .toBe('developer');
    await member.page.goto('/dashboard/api-keys');
    await member.page.getByText('Create your first key').waitFor();

    await page.goto('/dashboard/members');
    await page.getByRole('button', { name: `Remove ${email}` }).waitFor();
    await expectNoFaultOn(DISPLAYS, owner, { name: 'members-of-an-account', expected: OF_AXE });
    await page.getByRole('button', { name: `Remove ${email}` }).click();
    await page.getByText('The open invitations that they made are withdrawn.').waitFor();
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText(`${email} is no longer a member.`).waitFor();
    await member.page.reload();
    await expect
      .poll(async () => (await sessionOf(member)).user?.accounts.length, { ...POLL, interval: 1_000 })
      .toBe(1);
  });

  it.each(['viewer', 'developer'])(
    'as %s find no page with a request that is refused, and no button that they may not use',
    async (role) => {
      await using owner = await site.browser.visit();
      await using member = await site.browser.visit();
      const { email } = await signedUp(owner);
      const { admin } = site.gateway;
      const team = await admin.callOnce(TIMEOUT_MS, 'teams', 'createTeam', {
        account: email,
        name: 'Search',
      });
      const seat = await admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', { teamId: team.id, account: email });
      const { key } = await admin.callOnce(TIMEOUT_MS, 'accounts', 'createKey', {
        account: email,
        name: 'Bot',
      });
      await joined(owner, member, role);

      const refused: string[] = [];
      const { page } = member;
      page.on('response', (response) => {
        if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
      });
      const seatPath = `teams/${team.id}/seats/${seat.id}`;
      const paths = [...PATHS, `api-keys/${key?.id}`, `teams/${team.id}`, seatPath];
      const buttons = /^(Invite|Create team|Add seat|Move money|Create admin key|Save)$/;
      for (const path of paths) {
        await page.goto(`/dashboard/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const shown = await page.getByRole('main').getByRole('button', { name: buttons }).allTextContents();
        expect([path, shown]).toEqual([path, []]);
      }
      expect(refused).toEqual([]);
      await page.goto('/dashboard/members');
      await page.getByText('This page needs the role admin').waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await page.goto('/dashboard/api-keys');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const mayCreate = await page.getByRole('button', { name: 'Create key' }).count();
      expect(mayCreate > 0).toBe(role === 'developer');
      const names = await page.getByRole('navigation').getByRole('link').allTextContents();
      expect(names).not.toContain('Members');
      expect(names.includes('Playground')).toBe(role === 'developer');
    },
  );
});

/** Invites somebody on the members page. @returns the link */
async function invited(page: Page, email: string, role: string): Promise<string> {
  await page.goto('/dashboard/members');
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a member' });
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return (await page.getByLabel('Invitation link').textContent()) ?? '';
}

async function sessionOf({ page }: Visitor) {
  return sessionResponse.parse(await (await page.request.get('/api/session')).json());
}

/** Opens the navigation of a phone. @returns the choice of the account in it */
async function openChoice(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Navigation' }).click();
  const choice = page.getByRole('dialog').getByLabel('Account', { exact: true });
  await choice.waitFor();
  return choice;
}
