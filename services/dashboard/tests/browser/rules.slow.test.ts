import { addPool } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeNewKey, createAndCopyKey, newPerson, signUpUnseen } from './act.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const answer = z.looseObject({ error: z.looseObject({ code: z.string() }).optional() });

const PAID = 'sim/chat-pro';
/** Less than any request to a paid model may cost. */
const TINY = '0.000001';

describe.skipIf(NO_BROWSER !== undefined)('the pages of rules', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true }));

  async function chat(rawKey: string, model: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 }),
    });
    const { error } = answer.parse(await response.json());
    return { status: response.status, error };
  }

  /** Signs up, and creates a key that can pay. */
  async function signUpWithKey(visitor: Visitor, name: string): Promise<string> {
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await addPool(site.gateway.admin, { kind: 'account', id: person.email }, '10.00');
    await visitor.page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(visitor.page, name);
    await closeNewKey(visitor.page);
    return rawKey;
  }

  it('set a budget of a key, which the next request cannot exceed', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const rawKey = await signUpWithKey(visitor, 'nightly');
    expect((await chat(rawKey, PAID)).status).toBe(200);

    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByText('This key has no budget').waitFor();
    await page.getByRole('button', { name: 'Edit rules' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a budget' }).click();
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await dialog.getByText('Enter US dollars').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('budgets[0].usd');
    await dialog.getByLabel('Amount', { exact: true }).fill(TINY);
    await dialog.getByLabel('Only these models').check();
    await dialog.getByLabel('Allowed models').fill('sim/chat-*');
    await dialog.getByLabel('Requests a minute').fill('1,000');
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('The rules are saved.').waitFor();

    expect(await chat(rawKey, PAID)).toMatchObject({ status: 402, error: { scope: 'key', window: 'month' } });
    expect((await chat(rawKey, 'sim/chat-free')).status).toBe(200);
    const budget = page.getByRole('list', { name: 'Budgets' }).getByRole('listitem');
    await budget.getByText('$0.000001 a month').waitFor();
    await budget.getByText('Counts from zero again').waitFor();
    const models = page.getByRole('row', { name: /^Models/ });
    expect(await models.textContent()).toBe('Modelssim/chat-*Key');

    // The form begins with the present rules, and a removed budget is gone.
    await page.getByRole('button', { name: 'Edit rules' }).click();
    expect(await dialog.getByLabel('Requests a minute').inputValue()).toBe('1000');
    await dialog.getByRole('button', { name: 'Remove budget 1' }).click();
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('This key has no budget').waitFor();
    expect((await chat(rawKey, PAID)).status).toBe(200);

    await page.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The gateway refuses every request with it.').waitFor();
    expect((await chat(rawKey, PAID)).status).toBe(401);
    expect(visitor.problems).toEqual([]);
  });

  it('create a key with a budget, models and an end', async () => {
    await using visitor = await site.browser.visit({ viewport: PHONE });
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Budget', { exact: true }).fill('25');
    await dialog.getByLabel('Models').fill('sim/chat-free');
    await dialog.getByLabel('Works until').fill('2099-12-31T18:00');
    const rawKey = await createAndCopyKeyIn(page, 'intern');
    await closeNewKey(page);
    expect((await chat(rawKey, 'sim/chat-free')).status).toBe(200);
    expect(await chat(rawKey, PAID)).toMatchObject({ status: 403, error: { code: 'model_not_allowed' } });
    await page.getByRole('link', { name: 'intern' }).click();
    await page.getByText('$25.00 a month').waitFor();
    await page.getByText('Dec 31, 2099').first().waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('let the owner of a team set the budget of a seat, and its holder only see it', async () => {
    const [ada, grace] = [newPerson(), newPerson()];
    await using owner = await site.browser.visit();
    await using member = await site.browser.visit();
    await signUpUnseen(owner, ada);
    await signUpUnseen(member, grace);
    const { admin } = site.gateway;
    const team = await admin.callOnce(TIMEOUT_MS, 'teams', 'createTeam', { account: ada.email, name: 'Lab' });
    await addPool(admin, { kind: 'team', id: team.id }, '10.00');
    const seat = await admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', {
      teamId: team.id,
      account: grace.email,
    });
    await member.page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(member.page, 'lab', 'Team Lab');
    await closeNewKey(member.page);
    expect((await chat(rawKey, PAID)).status).toBe(200);

    await owner.page.goto(`/dashboard/teams/${team.id}`);
    await owner.page.getByRole('link', { name: `Budgets and rules of ${grace.email}` }).click();
    await owner.page.getByRole('button', { name: 'Edit rules' }).click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a budget' }).click();
    await dialog.getByLabel('Amount', { exact: true }).fill(TINY);
    await dialog.getByLabel('Period').selectOption({ label: 'A week' });
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await owner.page.getByText('$0.000001 a week').waitFor();
    expect(await chat(rawKey, PAID)).toMatchObject({ status: 402, error: { scope: 'seat', window: 'week' } });

    await member.page.goto(`/dashboard/teams/${team.id}/seats/${seat.id}`);
    await member.page.getByText('$0.000001 a week').waitFor();
    expect(await member.page.getByRole('button', { name: 'Edit rules' }).count()).toBe(0);
    await member.page.goto(`/dashboard/teams/${team.id}`);
    await member.page.getByRole('link', { name: 'rules of your seat' }).waitFor();
    expect(await member.page.getByRole('region', { name: 'What applies' }).count()).toBe(0);
    expect(await member.page.getByRole('button', { name: 'Edit rules' }).count()).toBe(0);
    for (const [kind, id] of [
      ['seat', seat.id],
      ['team', team.id],
    ]) {
      const response = await member.page.request.post(`/api/rules?kind=${kind}&id=${id}`, {
        data: { rules: {} },
        headers: { origin: member.siteUrl },
      });
      expect(response.status(), kind).toBe(403);
    }
    expect((await chat(rawKey, PAID)).status).toBe(402);
    expect([...owner.problems, ...member.problems]).toEqual([]);
  });

  it('give every end user a budget, and one of them another', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const rawKey = await signUpWithKey(visitor, 'shop');

    await page.goto('/dashboard/account');
    await page.getByLabel('Time zone').selectOption('Pacific/Kiritimati');
    await page.getByLabel('First day of the week').selectOption('sunday');
    await page.getByRole('region', { name: 'Budget periods' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Budgets count in these periods').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Time zone').inputValue(), POLL).toBe('Pacific/Kiritimati');

    await page.getByRole('link', { name: 'Rules of end users' }).click();
    await addBudget(page, TINY);
    await page.getByText('$0.000001 a month for each end user.').waitFor();
    await page.getByRole('button', { name: 'Add an end user' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'End user' }).fill('customer/17 & sons');
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'customer/17 & sons', level: 1 }).waitFor();
    await addBudget(page, '1');

    const asEndUser = (name: string) => chat(rawKey, PAID, { 'x-gateway-end-user': name });
    expect(await asEndUser('somebody')).toMatchObject({ status: 402, error: { scope: 'end_user' } });
    expect((await asEndUser('customer/17 & sons')).status).toBe(200);
    await page.getByRole('button', { name: 'Remove own rules' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove own rules' }).click();
    await page.getByText('None yet.').waitFor();
    expect((await asEndUser('customer/17 & sons')).status).toBe(402);
    expect(visitor.problems).toEqual([]);
  });

  it('split the usage by a tag, and show only one of its values', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const rawKey = await signUpWithKey(visitor, 'projects');
    for (const project of ['alpha', 'alpha', 'beta']) {
      const tags = { 'x-gateway-tags': `project=${project}`, 'x-session-id': 'conversation-1' };
      expect((await chat(rawKey, PAID, tags)).status).toBe(200);
    }
    expect((await chat(rawKey, PAID)).status).toBe(200);

    await page.goto('/dashboard/usage');
    await expect.poll(() => requestsShown(page), POLL).toBe('4');
    await page.getByLabel('Group by').selectOption('A tag');
    await page.getByLabel('Name of the tag').fill('project');
    const rows = page.getByRole('table', { name: 'Usage by project' }).getByRole('row');
    const requests = (value: string) =>
      rows.filter({ hasText: value }).getByRole('cell').first().textContent();
    await rows.filter({ hasText: 'Without' }).waitFor();
    expect([await requests('alpha'), await requests('beta'), await requests('Without')]).toEqual([
      '2',
      '1',
      '1',
    ]);

    await page.getByLabel('Show only').selectOption('alpha');
    await page.getByText('Only requests with project alpha.').waitFor();
    await expect.poll(() => requestsShown(page), POLL).toBe('2');
    await page.reload();
    await expect.poll(() => requestsShown(page), POLL).toBe('2');
    await page.getByRole('button', { name: 'Show all requests' }).click();
    await expect.poll(() => requestsShown(page), POLL).toBe('4');
    await page.getByLabel('Group by').selectOption('Session');
    await page.getByRole('table', { name: 'Usage by session' }).getByText('conversation-1').waitFor();

    const recent = page.getByRole('table', { name: 'Recent requests' });
    await recent.getByRole('row').nth(2).getByRole('link').click();
    await page.getByText('project=beta').waitFor();
    await page.getByText('conversation-1').waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

async function addBudget(page: Page, usd: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit rules' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add a budget' }).click();
  await dialog.getByLabel('Amount', { exact: true }).fill(usd);
  await dialog.getByRole('button', { name: 'Save rules' }).click();
  await page.getByText('The rules are saved.').waitFor();
}

/** Names and creates the key of the open form. */
async function createAndCopyKeyIn(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const shown = await dialog.getByRole('textbox', { name: 'API key' }).textContent();
  const copied = dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
  await Promise.all([copied, dialog.getByRole('button', { name: 'Copy key' }).click()]);
  return shown?.trim() ?? '';
}

/** Returns the number in the headline. */
async function requestsShown(page: Page): Promise<string | null> {
  return await page.locator('div:has(> dt:text-is("Requests")) > dd > span').first().textContent();
}
