import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { Visitor } from './open-browser.ts';

export interface Person {
  name: string;
  email: string;
  password: string;
}

let people = 0;

/** Somebody whom no test has met before. */
export function newPerson(): Person {
  people += 1;
  return {
    name: `Person ${people}`,
    email: `person-${people}@example.com`,
    password: `a long password ${people}`,
  };
}

/**
 * Gives the visitor an account and its session without any page: for tests of what comes afterwards, because
 * a form that is filled in costs more time than everything else of a short test.
 */
export async function signUpUnseen(
  { page, siteUrl }: Visitor,
  { name, email, password }: Person,
): Promise<void> {
  const answer = await page.request.post('/api/auth/sign-up/email', {
    data: { name, email, password },
    headers: { origin: siteUrl },
  });
  if (!answer.ok()) throw new Error(`sign-up: ${answer.status()} ${await answer.text()}`);
}

/** Signs up as a person does, and ends on the list of keys. */
export async function signUp(page: Page, { name, email, password }: Person): Promise<void> {
  await page.goto('/sign-up');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: false }).and(page.locator('input')).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
}

export async function signIn(page: Page, { email, password }: Omit<Person, 'name'>): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: false }).and(page.locator('input')).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
}

/**
 * Creates a key and copies it; the dialog stays open.
 * @param billedTo as the form calls it; left out: the account
 * @returns what is in the clipboard then
 */
export async function createAndCopyKey(page: Page, name: string, billedTo?: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  if (billedTo !== undefined) await dialog.getByLabel('Billed to').selectOption({ label: billedTo });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Copy key' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
  return await inPage(page, 'navigator.clipboard.readText()', z.string());
}

/** Leaves the dialog of a new key, which was copied. */
export async function closeNewKey(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** The value of an expression of the browser's, whose globals this program does not know. */
export async function inPage<Value>(
  page: Page,
  expression: string,
  schema: z.ZodType<Value>,
): Promise<Value> {
  return schema.parse(await page.evaluate(expression));
}
