import { describe, expect, it } from 'vitest';
import { closeNewKey, newPerson, signUpUnseen } from './act.ts';
import { expectLayout } from './every-page.ts';
import { LAPTOP, NO_BROWSER, PHONE, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('the cache of a key', () => {
  const site = withBrowser(() => ({ dashboard: true }));

  it.each([[LAPTOP], [PHONE]])(
    'is chosen with a new key, shown on its page and changed there: %j',
    async (size) => {
      await using visitor = await site.browser.visit();
      const { page } = visitor;
      await page.setViewportSize(size);
      await signUpUnseen(visitor, newPerson());
      await page.goto('/dashboard/api-keys');
      await page.getByRole('button', { name: 'Create key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('cached');
      await dialog.getByRole('combobox', { name: 'Cache' }).selectOption('On, for a day');
      await expectLayout(visitor, 'the form of a new key');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('button', { name: 'Copy key' }).click();
      await closeNewKey(page);
      await page.getByRole('link', { name: 'cached' }).click();
      await page.getByText('On, for a day').waitFor();
      await page.getByRole('button', { name: 'Change cache' }).click();
      expect(await dialog.getByRole('combobox', { name: 'Cache' }).inputValue()).toBe(
        'read, write; ttl=86400',
      );
      await dialog.getByRole('combobox', { name: 'Cache' }).selectOption('Off');
      await expectLayout(visitor, 'the dialog of the cache');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.getByText('On, for a day').count()).toBe(0);
      expect(visitor.problems).toEqual([]);
    },
  );
});
