import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeNewKey, createAndCopyKey, newPerson, signInUnseen, signUpUnseen } from './act.ts';
import { DISPLAYS, expectNoFaultOn } from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('requests in the console', () => {
  const site = withBrowser(() => ({ dashboard: true }));
  let visitor: Visitor;
  let rawKey = '';

  beforeAll(async () => {
    visitor = await site.browser.visit();
    const person = newPerson();
    await signUpUnseen(visitor, person);
    await visitor.page.goto('/dashboard/api-keys');
    rawKey = await createAndCopyKey(visitor.page, 'agent');
    await closeNewKey(visitor.page);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', person.email);
    const { email } = person;
    await site.gateway.admin.call(30_000, 'members', 'grantRole', { email, role: 'operator' });
    await signInUnseen(visitor, person);
  });
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]();
  });

  async function ask(model: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true }),
    });
    await response.text();
    return response.headers.get('x-request-id') ?? '';
  }

  const inspect = (name: string) => expectNoFaultOn(DISPLAYS, visitor, { name });

  it('appear without a reload unless the list is paused, and are filtered by the address', async () => {
    const { page } = visitor;
    await page.goto('/operate/requests');
    await page.getByText('No request found').waitFor();
    const first = await ask('sim/chat-free', {
      'x-gateway-end-user': 'u-1',
      'x-gateway-tags': 'project=alpha',
    });
    const link = (id: string) => page.locator(`a[href="/operate/requests/${id}"]`);
    await link(first).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    const second = await ask('sim/chat-free', { 'x-gateway-end-user': 'u-2' });
    await page
      .waitForResponse((response) => response.url().includes('/api/'), { timeout: 1_000 })
      .catch(() => {});
    expect(await link(second).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await link(second).waitFor();
    await inspect('console-requests');

    await page.getByLabel('Filter by').selectOption('End user');
    await page.getByLabel('Value').fill('u-1');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await link(second).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?end_user=u-1');
    await page.reload();
    await link(first).waitFor();
    expect(await link(second).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('requests.csv');
    await page.getByRole('button', { name: 'Remove the filter End user: u-1' }).click();
    await link(second).waitFor();
    await page.goto('/operate/requests?tag.project=alpha');
    await link(first).waitFor();
    expect(await link(second).count()).toBe(0);
  });

  it('are shown as a timeline with receipt and owner, and say that no contents are kept', async () => {
    const { page } = visitor;
    const id = await ask('sim/chat-free');
    await page.goto(`/operate/requests/${id}`);
    const steps = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await steps.first().waitFor();
    const titles = await steps
      .locator('p')
      .filter({ hasText: /^(Arrived|Admitted|Attempt 1|First token|Ended|Settled)/ })
      .allTextContents();
    expect(titles.map((title) => title.split(':')[0])).toEqual([
      ...['Arrived', 'Admitted', 'Attempt 1', 'First token', 'Ended', 'Settled'],
    ]);
    expect(await steps.getByText('not recorded').count()).toBe(0);
    await page.getByText('No contents are stored.').waitFor();
    await inspect('console-request');

    await page.goto(`/dashboard/usage/requests/${id}`);
    await steps.first().waitFor();
    expect(await steps.getByText('not recorded').count()).toBe(0);
  });

  it('refused before any provider have a list of their own', async () => {
    const { page } = visitor;
    await ask('sim/nothing');
    await page.goto('/operate/requests?show=refused');
    await page.getByText('404 model_not_found').first().waitFor();
    await inspect('console-refused');
  });
});
