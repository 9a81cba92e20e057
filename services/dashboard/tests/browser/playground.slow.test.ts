import { addPool } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPerson, type Person, signUpUnseen } from './act.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';
import { POLL } from './timeouts.ts';

/** Each word is about one token. */
const LONG_ANSWER = 'streaming '.repeat(400).trim();
const MS_PER_TOKEN = 20;

describe.skipIf(NO_BROWSER !== undefined)('the playground', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true }));

  async function open(visitor: Visitor, person: Person = newPerson()): Promise<void> {
    const { page } = visitor;
    await signUpUnseen(visitor, person);
    await page.goto('/dashboard/playground');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  }

  it('streams text, stops it, and links to the receipt of the stopped response', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    site.gateway.provider.script({ content: LONG_ANSWER, token_delay_ms: MS_PER_TOKEN });
    await ask(page, 'Go on and on.');
    const answer = page.getByRole('region', { name: 'Conversation' }).locator('[aria-busy=true]');
    const lengths = new Set<number>();
    await expect
      .poll(
        async () => {
          const said = wordsOf(await answer.textContent());
          if (said > 0) lengths.add(said);
          return lengths.size;
        },
        { ...POLL, interval: 100 },
      )
      .toBeGreaterThanOrEqual(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('Stopped', { exact: true }).waitFor();
    const saidAtStop = wordsOf(await conversation.textContent());
    await conversation.getByRole('link', { name: 'Receipt' }).waitFor();
    await conversation.getByText('Free', { exact: true }).waitFor();
    expect(wordsOf(await conversation.textContent())).toBe(saidAtStop);
    expect(saidAtStop).toBeLessThan(wordsOf(LONG_ANSWER));
    expect(await conversation.textContent()).toMatch(/First token [\d.]+ m?s.*Total [\d.]+ m?s/);
    await conversation.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('heading', { name: 'Receipt', level: 1 }).waitFor();
    await page.getByText('Stopped early').waitFor();
    // The page requests the receipt until it exists.
    const problems = visitor.problems.filter((problem) => !/ 404 .*\/api\/requests\/req_/.test(problem));
    expect(problems).toEqual([]);
  });

  it('gives advice without a balance, and retries after a pool was added', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    const person = newPerson();
    await open(visitor, person);
    await page.getByLabel('Model', { exact: true }).selectOption('sim/chat-pro');
    await ask(page, 'What is it worth to you?');
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('Choose a free model or ask your operator for money.').waitFor();
    const way = conversation.getByRole('link', { name: 'See the free models' });
    expect(await way.getAttribute('href')).toBe('/dashboard/models?capability=chat&tier=free');
    expect(await conversation.getByRole('link', { name: 'Receipt' }).count()).toBe(0);

    await addPool(site.gateway.admin, { kind: 'account', id: person.email }, '1.00');
    await conversation.getByRole('button', { name: 'Try again' }).click();
    await conversation.getByText(/^\$0\.000\d+$/).waitFor();
    await conversation.getByRole('link', { name: 'Receipt' }).waitFor();
    expect(await conversation.getByRole('alert').count()).toBe(0);
  });

  it('offers another model instead of a retry for a request that would fail again', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    const words = 'The model `sim-chat-free` does not exist.';
    site.gateway.provider.script({ status: 404, message: words });
    await ask(page, 'Does a second attempt help?');
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('answered 404: The model `sim-chat-free` does not exist').waitFor();
    await conversation.getByText('Choose another model.').waitFor();
    expect(await conversation.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await conversation.textContent()).not.toMatch(/try again/i);
    const [id] = /req_\w{24}/.exec((await conversation.textContent()) ?? '') ?? [];
    await page.goto(`/dashboard/usage/requests/${id}`);
    await page.getByText('Answered 404: The model `sim-chat-free` does not exist').waitFor();
  });

  it('shows the composer above the ideas on a phone', async () => {
    await using visitor = await site.browser.visit({ viewport: PHONE });
    const { page } = visitor;
    await open(visitor);
    const composer = await page.getByRole('textbox', { name: 'Message' }).boundingBox();
    const ideas = page.getByRole('button', { name: /\?$|\.$/ });
    await expect.poll(() => ideas.count(), POLL).toBe(3);
    const composerEnd = (composer?.y ?? Number.POSITIVE_INFINITY) + (composer?.height ?? 0);
    expect(composerEnd).toBeLessThan(PHONE.height);
    expect((await ideas.first().boundingBox())?.y).toBeGreaterThan(composerEnd);
    await ideas.last().click({ trial: true });
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(question);
  await page.keyboard.press('Enter');
}

function wordsOf(text: string | null): number {
  return text?.match(/streaming/g)?.length ?? 0;
}
