import { metricOf, until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { closeNewKey, createAndCopyKey, newPerson, signUpUnseen } from './act.ts';
import { DISPLAYS, expectNoFaultOn } from './every-page.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('contents of requests', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  async function ask(rawKey: string, content: string): Promise<string> {
    const response = await fetch(`${site.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content }] }),
    });
    await response.text();
    expect(response.status).toBe(200);
    return response.headers.get('x-request-id') ?? '';
  }

  it('are turned on by the owner, shown on the receipt of the next request, and deleted when turned off', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/api-keys');
    const rawKey = await createAndCopyKey(page, 'agent');
    await closeNewKey(page);

    await page.goto('/dashboard/account');
    const setting = page.getByRole('region', { name: 'Contents of requests' });
    await setting.getByText('Off. Nothing is stored.').waitFor();
    await expectNoFaultOn(DISPLAYS, visitor, { name: 'contents-off' });
    await setting.getByLabel('Delete after').selectOption('14');
    await setting.getByRole('button', { name: 'Turn on' }).click();
    await setting.getByText('Contents are deleted after 14 days.').waitFor();

    const id = await ask(rawKey, 'What do numbats eat?');
    await page.goto(`/dashboard/usage/requests/${id}`);
    const contents = page.getByRole('region', { name: 'Contents', exact: true });
    await contents.waitFor();
    const stored = () =>
      metricOf(site.gateway.dataPlanes[0], 'gateway_contents_total', { outcome: 'stored' });
    await until(async () => (await stored()) === 1);
    await contents.getByRole('button', { name: 'Show contents' }).click();
    await contents.getByText('What do numbats eat?').first().waitFor();
    await contents.getByText('"chat.completion"').waitFor();
    await expectNoFaultOn(DISPLAYS, visitor, { name: 'contents' });

    await page.goto('/dashboard/audit');
    await page.getByText('contents.viewed').first().waitFor();
    await page.goto('/dashboard/account');
    await setting.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off and delete' }).click();
    await setting.getByText('Off. Nothing is stored.').waitFor();
    await page.goto(`/dashboard/usage/requests/${id}`);
    await contents.getByText('An owner can turn them on for later requests').waitFor();
  });
});
