import { linkIn, type MailServer, startMailServer } from '@model-gateway/test-kit/mail-server';
import { afterAll, describe, expect, it } from 'vitest';
import { newPerson, signIn, signUpUnseen, submitDialog } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('mailed links in the browser', () => {
  let mailServer: MailServer;
  const site = withBrowser(async () => {
    mailServer = await startMailServer();
    return { dashboard: { SMTP_URL: mailServer.url } };
  });

  afterAll(async () => {
    await mailServer?.[Symbol.asyncDispose]();
  });

  it('confirm an address, whose invitations then show, and set a new password', async () => {
    const person = newPerson();
    await using owner = await site.browser.visit();
    await signUpUnseen(owner, newPerson());
    await owner.page.goto('/dashboard/teams');
    await submitDialog(owner.page, 'Create team', { Name: 'Correspondents' });
    await submitDialog(owner.page, 'Add seat', { 'E-mail': person.email });
    await owner.page.getByLabel('Invitation link').waitFor();

    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, person);
    await page.goto('/dashboard/api-keys');
    await page.getByText('Confirm your e-mail address').waitFor();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText('Another link is on its way.').waitFor();
    // In another browser nobody is signed in, so the link confirms nothing.
    const link = linkIn(await mailServer.mailTo(person.email, 1));
    await using elsewhere = await site.browser.visit();
    await elsewhere.page.goto(link);
    await elsewhere.page.getByText('somebody else has used your address').waitFor();
    await page.goto(link);
    const confirm = page.getByRole('button', { name: 'Confirm this address' });
    await confirm.waitFor();
    expect(page.url()).not.toContain('token');
    await confirm.click();
    await page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(await page.getByText('Confirm your e-mail address').count()).toBe(0);
    await page.goto('/dashboard/teams');
    await page.getByRole('button', { name: 'Accept the invitation to Correspondents' }).click();
    await page.getByRole('heading', { name: 'Correspondents', level: 1 }).waitFor();

    await using forgetful = await site.browser.visit();
    await forgetful.page.goto('/sign-in');
    await forgetful.page.getByRole('link', { name: 'Get a reset link by mail' }).click();
    await forgetful.page.getByLabel('E-mail').fill(person.email);
    await forgetful.page.getByRole('button', { name: 'Send link' }).click();
    await forgetful.page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await forgetful.page.goto(linkIn(await mailServer.mailTo(person.email, 2)));
    const password = 'a password that is new';
    await forgetful.page.getByLabel('New password').and(forgetful.page.locator('input')).fill(password);
    await forgetful.page.getByRole('button', { name: 'Set password' }).click();
    await forgetful.page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
    await signIn(forgetful.page, { email: person.email, password });
    for (const each of [owner, visitor, elsewhere, forgetful]) expect(each.problems).toEqual([]);
  });
});
