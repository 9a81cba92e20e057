import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { Visitor } from './open-browser.ts';

export interface Person {
  name: string;
  email: string;
  password: string;
}

let people = 0;

/** Returns a person with an address of their own. */
export function newPerson(): Person {
  people += 1;
  return {
    name: `Person ${people}`,
    email: `person-${people}@example.com`,
    password: `a long password ${people}`,
  };
}

/** Signs the visitor up by the API, which is much faster than the form. */
export async function signUpUnseen(
  { page, siteUrl }: Visitor,
  { name, email, password }: Person,
): Promise<void> {
  const response = await page.request.post('/api/auth/sign-up/email', {
    data: { name, email, password },
    headers: { origin: siteUrl },
  });
  if (!response.ok()) throw new Error(`sign-up: ${response.status()} ${await response.text()}`);
}

/** Signs the visitor in by the API, which is much faster than the form. */
export async function signInUnseen(
  { context, page, siteUrl }: Visitor,
  { email, password }: Omit<Person, 'name'>,
): Promise<void> {
  await context.clearCookies();
  const response = await page.request.post('/api/auth/sign-in/email', {
    data: { email, password },
    headers: { origin: siteUrl },
  });
  if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
}

/** Signs up with the form, which then opens the list of keys. */
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

/** Presses a button that opens a form, fills it in and sends it. */
export async function submitDialog(
  page: Page,
  name: string,
  fields: Record<string, string>,
  submit = name,
): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/**
 * Creates a key and copies it; the dialog stays open.
 * @param billedTo the label in the form; left out: the account
 * @returns the content of the clipboard
 */
export async function createAndCopyKey(page: Page, name: string, billedTo?: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  if (billedTo !== undefined) await dialog.getByLabel('Billed to').selectOption({ label: billedTo });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  // The button says so for two seconds only, so the wait begins before the click.
  const copied = dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
  await Promise.all([copied, dialog.getByRole('button', { name: 'Copy key' }).click()]);
  return await inPage(page, 'navigator.clipboard.readText()', z.string());
}

/** Closes the dialog of a new key, after it was copied. */
export async function closeNewKey(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Evaluates an expression in the browser; as text, because this program does not know its globals. */
export async function inPage<Value>(
  page: Page,
  expression: string,
  schema: z.ZodType<Value>,
): Promise<Value> {
  return schema.parse(await page.evaluate(expression));
}
