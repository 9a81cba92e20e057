import { openSql } from '@model-gateway/test-kit/open-sql';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nextCode } from '../authenticator-app.ts';
import { closeNewKey, createAndCopyKey, newPerson, type Person, signIn, signUpUnseen } from './act.ts';
import { seriousViolations } from './every-page.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('the security page', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  /** Makes the last proof of all sessions too old. */
  async function ageProofs(): Promise<void> {
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(`UPDATE dashboard_sessions SET proved_at = now() - interval '11 minutes'`);
  }

  /** Signs somebody up, and opens the page. */
  async function opened(visitor: Visitor): Promise<Person> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await openSecurity(visitor.page);
    return person;
  }

  it('lists the sessions and ends the others, one or all', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = await opened(visitor);
    await using other = await site.browser.visit({ viewport: PHONE });
    await signIn(other.page, person);
    await page.reload();
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await expect.poll(() => sessions.getByRole('row').count()).toBe(3);
    expect(await sessions.getByText('This session').count()).toBe(1);
    expect(await sessions.getByText('Chrome on Linux').count()).toBe(2);
    await sessions.getByRole('button', { name: /^Sign out Chrome on Linux at / }).click();
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2);
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();

    await signIn(other.page, person);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2);
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('sets up an authenticator app, whose code then signs in after the password', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = await opened(visitor);
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog');
    await typePassword(page, person.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    const uri = `otpauth://totp/x?secret=${await dialog.getByRole('textbox', { name: 'Key' }).textContent()}`;
    await dialog
      .getByRole('textbox', { name: 'Code', exact: false })
      .last()
      .fill(await nextCode(uri));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const backup = (await dialog.getByRole('textbox', { name: 'Backup codes' }).textContent()) ?? '';
    expect(backup.split('\n')).toHaveLength(10);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 backup codes left').waitFor();

    await using other = await site.browser.visit();
    await givePassword(other.page, person);
    await other.page.getByRole('heading', { name: 'Enter a code', level: 1 }).waitFor();
    await other.page.getByLabel('Code').fill('000000');
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByText('The code is wrong, or was used before.').waitFor();
    await other.page.getByLabel('Code').fill(await nextCode(uri));
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();

    // Turning it off needs a code and the password.
    await ageProofs();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await typePassword(page, person.password);
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByLabel('Code of your authenticator app').fill(backup.split('\n')[0] ?? '');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByText('The code is wrong, or was used before.').waitFor();
    await proof.getByLabel('Code of your authenticator app').fill(await nextCode(uri));
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Not set up.').waitFor();
  });

  it('adds a passkey, which signs in and confirms who the user is', async () => {
    await using visitor = await site.browser.visit({ byName: true });
    const { page } = visitor;
    await addAuthenticator(visitor);
    const person = await opened(visitor);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Chrome on Linux');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('table', { name: 'Your passkeys' }).getByText('Laptop').waitFor();

    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    // Back where they were.
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByText(person.email).first().waitFor();

    await ageProofs();
    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('With a passkey');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy key' }).waitFor();

    await openSecurity(page);
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('You have none yet.').waitFor();
    expect(visitor.problems.filter((problem) => !/status of 403/.test(problem))).toEqual([]);
  });

  it('continues an action after the user has confirmed who they are, or drops it', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await page.goto('/dashboard/api-keys');
    // The user has just signed in, so the page asks for nothing.
    await createAndCopyKey(page, 'First');
    await closeNewKey(page);
    await ageProofs();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByLabel('Name').fill('Second');
    await form.getByRole('button', { name: 'Create key' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByLabel('Password').and(page.locator('input')).fill('not the password');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByText('The password is wrong.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await form.getByText('Confirm that it is you, then try again.').waitFor();
    await form.getByRole('button', { name: 'Create key' }).click();
    await proof.getByLabel('Password').and(page.locator('input')).fill(person.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy key' }).waitFor();
  });
});

async function openSecurity(page: Page): Promise<void> {
  await page.goto('/dashboard/account/security');
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
}

async function typePassword(page: Page, password: string): Promise<void> {
  await page.getByRole('dialog').getByLabel('Password').and(page.locator('input')).fill(password);
}

async function givePassword(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: false }).and(page.locator('input')).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Gives the browser an authenticator that always verifies its user. */
async function addAuthenticator({ context, page }: Visitor): Promise<void> {
  const debug = await context.newCDPSession(page);
  await debug.send('WebAuthn.enable');
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
