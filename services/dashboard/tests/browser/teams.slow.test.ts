import { addPool } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { closeNewKey, createAndCopyKey, newPerson, signUpUnseen, submitDialog } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const TEAM = 'Search quality';

describe.skipIf(NO_BROWSER !== undefined)('a team in the browser', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true }));

  const chat = (apiKey: string, model: string) =>
    new OpenAI({ apiKey, baseURL: `${site.gateway.baseUrl}/v1` }).chat.completions
      .create({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
      .asResponse();

  it('gets seats and money from its owner, shows a member only their own, and refuses their key after the seat is removed', async () => {
    const [ada, grace] = [newPerson(), newPerson()];
    await using owner = await site.browser.visit();
    await using member = await site.browser.visit({ keepBodies: true });
    await signUpUnseen(owner, ada);
    await signUpUnseen(member, grace);
    await addPool(site.gateway.admin, { kind: 'account', id: ada.email }, '10.00');

    await owner.page.goto('/dashboard/teams');
    await submitDialog(owner.page, 'Create team', { Name: TEAM });
    await owner.page.getByRole('heading', { name: TEAM, level: 1 }).waitFor();
    await submitDialog(owner.page, 'Add seat', { 'E-mail': grace.email });
    const seat = owner.page.getByRole('row', { name: grace.email });
    await seat.getByText('Invited until').waitFor();
    const link = await copyInvitationLink(owner.page);
    await submitDialog(owner.page, 'Move money', { Amount: '4' }, 'Move');
    await owner.page.getByRole('region', { name: 'Pools' }).getByText('left of $4.00').waitFor();

    // Her address is not verified: without the link there is no seat.
    await member.page.goto('/dashboard/teams');
    await member.page.getByRole('heading', { name: 'You are not in a team yet' }).waitFor();
    await member.page.goto(link);
    await member.page.getByRole('heading', { name: `A seat in ${TEAM}` }).waitFor();
    expect(member.page.url()).not.toContain('token');
    await member.page.getByRole('button', { name: 'Accept invitation' }).click();
    await member.page.getByRole('heading', { name: TEAM, level: 1 }).waitFor();
    await member.page.getByRole('region', { name: 'Pools' }).getByText('left of $4.00').waitFor();
    await member.page.getByRole('row', { name: grace.email }).waitFor();
    for (const name of [/Add seat/, /Move money/, /Remove/, /Change/, /Edit/])
      expect(await member.page.getByRole('button', { name }).count(), String(name)).toBe(0);

    await member.page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(member.page, 'search', `Team ${TEAM}`);
    await closeNewKey(member.page);
    expect((await chat(rawKey, 'sim/chat-pro')).status).toBe(200);

    await expect
      .poll(
        async () => {
          await owner.page.reload();
          await seat.waitFor();
          return await seat.textContent();
        },
        { ...POLL, interval: 200 },
      )
      .toMatch(/\$0\.000\d+/);
    await owner.page.getByRole('link', { name: `Usage of ${grace.email}` }).click();
    await owner.page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await owner.page.getByText(`are shown to ${grace.email} alone`).waitFor();
    const whose = owner.page.getByLabel('Whose usage').locator('option:checked');
    await expect.poll(() => whose.textContent(), POLL).toBe(`Seat of ${grace.email} in ${TEAM}`);
    await owner.page.getByRole('row', { name: /sim\/chat-pro/ }).waitFor();
    expect(await owner.page.getByRole('region', { name: /Recent requests|Limits|By key/ }).count()).toBe(0);
    expect(await owner.page.getByRole('link', { name: 'Requests CSV' }).count()).toBe(0);

    await owner.page.goBack();
    await owner.page.getByRole('button', { name: `Remove the seat of ${grace.email}` }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove seat' }).click();
    await owner.page.getByText('1 key on it is revoked.').waitFor();
    const refused = await chat(rawKey, 'sim/chat-free').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' });

    expect(owner.problems).toEqual([]);
    expect(member.problems).toEqual([]);
    const read = (await member.bodies()).filter(({ body }) => body.includes(ada.email));
    expect(read.map(({ url }) => url)).toEqual([]);
  });

  it('accepts an invited person who signs up first, but nobody whose invitation was withdrawn', async () => {
    const [ada, grace] = [newPerson(), newPerson()];
    await using owner = await site.browser.visit({ keepBodies: true });
    await signUpUnseen(owner, ada);
    await owner.page.goto('/dashboard/teams');
    await submitDialog(owner.page, 'Create team', { Name: 'Newcomers' });
    await owner.page.getByRole('heading', { name: 'Newcomers', level: 1 }).waitFor();
    await submitDialog(owner.page, 'Add seat', { 'E-mail': 'withdrawn@example.com' });
    const withdrawn = await copyInvitationLink(owner.page);
    await owner.page
      .getByRole('button', { name: 'Withdraw the invitation of withdrawn@example.com' })
      .click();
    await owner.page.getByRole('row', { name: 'withdrawn@example.com' }).waitFor({ state: 'hidden' });
    await owner.page.getByLabel('Invitation link').waitFor({ state: 'hidden' });
    await submitDialog(owner.page, 'Add seat', { 'E-mail': grace.email });
    const link = await copyInvitationLink(owner.page);

    await using newcomer = await site.browser.visit({ keepBodies: true });
    const { page } = newcomer;
    await page.goto(link);
    await page.getByRole('heading', { name: 'You are invited to a team' }).waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill(grace.name);
    await page.getByLabel('E-mail').fill(grace.email);
    await page.getByLabel('Password', { exact: false }).and(page.locator('input')).fill(grace.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('heading', { name: 'Newcomers', level: 1 }).waitFor();
    await page.getByRole('row', { name: grace.email }).getByText('You').waitFor();

    await page.goto(withdrawn);
    await page.getByRole('heading', { name: 'This invitation cannot be shown' }).waitFor();
    await page.getByRole('alert').waitFor();
    const sent = [...(await newcomer.bodies()), ...(await owner.bodies())].map(({ url }) => url);
    for (const each of [link, withdrawn]) {
      const token = each.replace(/.*token=/, '');
      expect(sent.filter((url) => url.includes(token))).toEqual([]);
    }
    expect(owner.problems).toEqual([]);
    // Browsers report every 404.
    expect(newcomer.problems.filter((problem) => !/404.*\/api\/invitations\/find/.test(problem))).toEqual([]);
  });

  it('shows a stranger nothing at the addresses of the team, its seat and its owner’s receipts', async () => {
    const ada = { ...newPerson(), name: 'Ada Byron' };
    await using owner = await site.browser.visit({ keepBodies: true });
    await signUpUnseen(owner, ada);
    await owner.page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(owner.page, 'Difference engine');
    await closeNewKey(owner.page);
    const requestId = (await chat(rawKey, 'sim/chat-free')).headers.get('x-request-id');
    const team = await site.gateway.admin.callOnce(TIMEOUT_MS, 'teams', 'createTeam', {
      account: ada.email,
      name: 'Analytical society',
    });
    const seat = await site.gateway.admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', {
      teamId: team.id,
      account: ada.email,
    });
    // The owner sees the receipt.
    await owner.page.goto(`/dashboard/usage/requests/${requestId}`);
    await owner.page.getByRole('heading', { name: 'What it cost' }).waitFor();

    await using stranger = await site.browser.visit({ keepBodies: true });
    const { page } = stranger;
    await signUpUnseen(stranger, newPerson());
    await page.goto(`/dashboard/teams/${team.id}`);
    await page.getByRole('heading', { name: 'You are not in this team' }).waitFor();
    await page.goto(`/dashboard/usage?seat=${seat.id}`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('region').count()).toBe(0);
    await page.goto(`/dashboard/usage/requests/${requestId}`);
    await page.getByRole('heading', { name: 'There is no such receipt' }).waitFor();

    const bodies = await stranger.bodies();
    for (const secret of [ada.name, ada.email, 'Difference engine', rawKey.slice(0, 16), team.name]) {
      expect(await page.content(), secret).not.toContain(secret);
      expect(
        bodies.filter(({ body }) => body.includes(secret)).map(({ url }) => url),
        secret,
      ).toEqual([]);
    }
    // The same search finds the name in the owner's responses.
    expect((await owner.bodies()).some(({ body }) => body.includes('Difference engine'))).toBe(true);
  });
});

/** Copies the link of the invitation that was just made; it is shown once. */
async function copyInvitationLink(page: Page): Promise<string> {
  const link = (await page.getByLabel('Invitation link').textContent()) ?? '';
  const copied = page.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, page.getByRole('button', { name: 'Copy link' }).click()]);
  return link;
}
