import { simulatedCatalog, until } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { newPerson, signUpUnseen } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('a model whose provider has no credential', () => {
  const site = withBrowser(() => ({
    dashboard: true,
    document: (baseUrl) => {
      const { models, providers } = simulatedCatalog(baseUrl);
      const [provider] = providers;
      if (provider === undefined) throw new Error('no provider');
      const upstream = (id: string) => ({ provider: id, model: 'sim-chat-free' });
      const chat = { capability: 'chat' as const, tier: 'free' as const };
      return {
        providers: [provider, { ...provider, id: 'acme', name: 'Acme AI', credential_env: 'ACME_API_KEY' }],
        models: [
          // The first free chat model: the site would choose it if it did not check the credential.
          { ...chat, id: 'acme/small', name: 'Acme Small', upstreams: [upstream('acme')] },
          { ...chat, id: 'acme/spare', name: 'Acme Spare', upstreams: [upstream('acme'), upstream('sim')] },
          ...models,
        ],
      };
    },
  }));

  beforeAll(async () => {
    await until(async () => {
      const response = await fetch(`${site.gateway.dashboard?.url}/api/models`);
      return (await response.text()).includes('"not_configured"');
    });
  });

  it('is not in the playground, also if a link names it', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/playground?model=acme/small');
    const choice = page.getByLabel('Model', { exact: true });
    await choice.waitFor();
    expect(await choice.locator('option').allTextContents()).toEqual(['Acme Spare', 'chat free', 'chat pro']);
    expect(await choice.inputValue()).toBe('acme/spare');
    expect(visitor.problems).toEqual([]);
  });

  it('is marked on the page of models, without a link to the playground', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.goto('/models');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Acme Small').getByText('Not configured', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Try it: Acme Small' }).count()).toBe(0);
    await row('Acme Spare').getByText('No traffic, partly configured').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('is marked on the status page, and so is its provider', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await page.goto('/status');
    await page.getByText('Not configured: Acme AI').waitFor();
    const part = page.getByRole('listitem').filter({ hasText: 'Acme AI' });
    await part.getByText('Not configured', { exact: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'acme/small' });
    await row.getByText('Not configured', { exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});
