import { simulatedCatalog, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, signUp } from './act.ts';
import { NO_BROWSER, openBrowser, type TestBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('a model whose provider has no credential', () => {
  let gateway: TestGateway;
  let browser: TestBrowser;

  beforeAll(async () => {
    gateway = await startGateway({
      dashboard: true,
      document: (baseUrl) => {
        const sound = simulatedCatalog(baseUrl);
        const [provider] = sound.providers;
        if (provider === undefined) throw new Error('no provider');
        const upstream = (id: string) => ({ provider: id, model: 'sim-chat-free' });
        const chat = { capability: 'chat' as const, tier: 'free' as const };
        return {
          providers: [provider, { ...provider, id: 'acme', name: 'Acme AI', credential_env: 'ACME_API_KEY' }],
          models: [
            // The first of all free chat models: it would be the one that is offered.
            { ...chat, id: 'acme/small', name: 'Acme Small', upstreams: [upstream('acme')] },
            { ...chat, id: 'acme/spare', name: 'Acme Spare', upstreams: [upstream('acme'), upstream('sim')] },
            ...sound.models,
          ],
        };
      },
    });
    browser = await openBrowser(gateway.dashboard?.url ?? '');
    await until(async () => {
      const answer = await fetch(`${gateway.dashboard?.url}/api/models`);
      return (await answer.text()).includes('"not_configured"');
    });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  it('is left out of the playground, also where a link leads to it', async () => {
    await using visitor = await browser.visit();
    const { page } = visitor;
    await signUp(page, newPerson());
    await page.goto('/dashboard/playground?model=acme/small');
    const choice = page.getByLabel('Model', { exact: true });
    await choice.waitFor();
    expect(await choice.locator('option').allTextContents()).toEqual(['Acme Spare', 'chat free', 'chat pro']);
    expect(await choice.inputValue()).toBe('acme/spare');
    expect(visitor.problems).toEqual([]);
  });

  it('is in the catalog as what it is, with nothing to try', async () => {
    await using visitor = await browser.visit();
    const { page } = visitor;
    await page.goto('/models');
    const card = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await card('Acme Small').getByText('Not configured', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Try it: Acme Small' }).count()).toBe(0);
    await card('Acme Spare').getByText('No traffic, partly configured').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('is on the status page as what it is, and so is its provider', async () => {
    await using visitor = await browser.visit();
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
