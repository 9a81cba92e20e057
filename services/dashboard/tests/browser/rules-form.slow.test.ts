import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeNewKey, createAndCopyKey, inPage, newPerson, signUpUnseen } from './act.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';
import { POLL } from './timeouts.ts';

describe.skipIf(NO_BROWSER !== undefined)('the form of rules', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  it('works by keyboard alone: the focus follows budgets, Enter saves, and Escape changes nothing', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await openNewKey(page);
    const edit = page.getByRole('button', { name: 'Edit rules' });
    const { keyboard } = page;

    await edit.focus();
    await keyboard.press('Enter');
    await expect.poll(() => focused(page), POLL).toBe('Add a budget');
    await keyboard.press('Enter');
    await expect.poll(() => focused(page), POLL).toBe('budgets[0].usd');
    await keyboard.type('5');
    await keyboard.press('Tab');
    expect(await focused(page)).toBe('budgets[0].window');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type('9');
    await keyboard.press('Enter');
    await expect.poll(() => focused(page), POLL).toBe('budgets[0].temporary_until');
    await page.getByText('Say until when the temporary amount applies.').waitFor();
    await keyboard.press('Shift+Tab');
    await keyboard.press('Backspace');
    await keyboard.press('Enter');
    await page.getByText('The rules are saved.').waitFor();
    await page.getByText('$5.00 a month').waitFor();

    await edit.focus();
    await keyboard.press('Enter');
    await expect.poll(() => focused(page), POLL).toBe('budgets[0].usd');
    await page.getByRole('button', { name: 'Remove budget 1' }).focus();
    await keyboard.press('Enter');
    await expect.poll(() => focused(page), POLL).toBe('Add a budget');
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page), POLL).toBe('Edit rules');
    await page.getByText('$5.00 a month').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  it('focuses the field that the server refuses', async () => {
    await using visitor = await site.browser.visit();
    const { page } = visitor;
    await signUpUnseen(visitor, newPerson());
    await openNewKey(page);
    await page.getByRole('button', { name: 'Edit rules' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Only these networks').check();
    await dialog.getByLabel('Allowed networks').fill('the office');
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => focused(page), POLL).toBe('networks');
  });
});

/** Creates a key and opens its page. */
async function openNewKey(page: Page): Promise<void> {
  await page.goto('/dashboard/api-keys');
  await createAndCopyKey(page, 'nightly');
  await closeNewKey(page);
  await page.getByRole('link', { name: 'nightly' }).click();
  await page.getByText('This key has no budget').waitFor();
}

/** Returns the name of the focused field, or the text of the focused button. */
async function focused(page: Page): Promise<string> {
  return await inPage(page, 'document.activeElement.name || document.activeElement.textContent', z.string());
}
