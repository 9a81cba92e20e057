import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import { createAndCopyKey, inPage, submitDialog } from './act.ts';
import type { DemoScene } from './demo-scene.ts';
import { LAPTOP, PHONE, type Scheme, SMALL_LAPTOP, type Visitor } from './open-browser.ts';
import { POLL } from './timeouts.ts';
import { brokenWords } from './whole-words.ts';

const STILL_LOADING = '[data-loading], .mantine-Loader-root, .mantine-Skeleton-root';
/** Resolves when a change of the color scheme is drawn and its transitions have ended. */
const COLOURS_HAVE_CHANGED = `(async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
  await Promise.allSettled(transitions.map(({ finished }) => finished));
})()`;
/** The folder for screenshots of the pages; `npm run screenshots` sets it. */
const { SCREENSHOTS } = process.env;

export interface PageCase {
  name: string;
  path: (scene: DemoScene) => string;
  signedIn: boolean;
  /** True: signed in as an operator of the installation. */
  isOperator?: true;
  /** Waits for the last part of the first load, if idle connections do not show its end. */
  loaded?: (page: Page) => Promise<void>;
  /** Brings the page into the state to check. */
  prepare?: (page: Page) => Promise<void>;
  /** A console message that the page cannot avoid. */
  expected?: RegExp;
}

/** Pages of the console, by their name and path. */
const CONSOLE: Record<string, (scene: DemoScene) => string> = {
  overview: () => '/operate/overview',
  accounts: () => '/operate/accounts',
  account: ({ accountId }) => `/operate/accounts/${accountId}`,
  team: ({ teamId }) => `/operate/teams/${teamId}`,
  seat: ({ seatId }) => `/operate/seats/${seatId}`,
  key: ({ keyId }) => `/operate/keys/${keyId}`,
  'end-user': ({ accountId }) => `/operate/end-user?account_id=${accountId}&id=customer-17`,
  requests: () => '/operate/requests',
  refused: () => '/operate/requests?show=refused',
  request: ({ requestId }) => `/operate/requests/${requestId}`,
  providers: () => '/operate/providers',
  provider: () => '/operate/providers/sim',
  models: () => '/operate/models',
  model: () => '/operate/models/sim/chat-pro',
  catalog: () => '/operate/catalog',
  'catalog-yaml': () => '/operate/catalog?view=yaml',
  'catalog-versions': () => '/operate/catalog/versions',
  'catalog-version': () => '/operate/catalog/versions/1',
  'price-lists': () => '/operate/price-lists',
  'price-list': ({ priceListId }) => `/operate/price-lists/${priceListId}`,
  fleet: () => '/operate/fleet',
  webhooks: () => '/operate/webhooks',
  webhook: ({ webhookId }) => `/operate/webhooks/${webhookId}`,
  audit: () => '/operate/audit',
  playground: () => '/operate/playground',
};

export const PAGES: readonly PageCase[] = [
  { name: 'sign-in', path: () => '/sign-in', signedIn: false },
  { name: 'sign-up', path: () => '/sign-up', signedIn: false },
  { name: 'reset-password', path: () => '/reset-password#token=given-by-the-operator', signedIn: false },
  { name: 'forgot-password', path: () => '/forgot-password', signedIn: false },
  { name: 'verify-email', path: () => '/verify-email#token=from-a-mail', signedIn: false },
  { name: 'invitation', path: () => '/invitation#token=from-the-owner', signedIn: false },
  { name: 'membership', path: () => '/membership#token=from-the-admin', signedIn: false },
  { name: 'status', path: () => '/status', signedIn: false },
  { name: 'public-models', path: () => '/models', signedIn: false },
  { name: 'api-keys', path: () => '/dashboard/api-keys', signedIn: true },
  { name: 'create-key', path: () => '/dashboard/api-keys', signedIn: true, prepare: openKeyForm },
  { name: 'new-key', path: () => '/dashboard/api-keys', signedIn: true, prepare: createKey },
  { name: 'key', path: ({ keyId }) => `/dashboard/api-keys/${keyId}`, signedIn: true },
  {
    name: 'edit-rules',
    path: ({ keyId }) => `/dashboard/api-keys/${keyId}`,
    signedIn: true,
    prepare: editRules,
  },
  { name: 'first-request', path: () => '/dashboard/first-request', signedIn: true },
  { name: 'usage', path: () => '/dashboard/usage?range=30d', signedIn: true, loaded: chartsDrawn },
  { name: 'receipt', path: ({ requestId }) => `/dashboard/usage/requests/${requestId}`, signedIn: true },
  { name: 'statements', path: () => '/dashboard/statements', signedIn: true },
  { name: 'teams', path: () => '/dashboard/teams', signedIn: true },
  { name: 'team', path: ({ teamId }) => `/dashboard/teams/${teamId}`, signedIn: true },
  {
    name: 'team-invitation',
    path: ({ teamId }) => `/dashboard/teams/${teamId}`,
    signedIn: true,
    prepare: inviteOnce,
  },
  {
    name: 'seat',
    path: ({ teamId, seatId }) => `/dashboard/teams/${teamId}/seats/${seatId}`,
    signedIn: true,
  },
  { name: 'models', path: () => '/dashboard/models', signedIn: true },
  {
    name: 'playground',
    path: () => '/dashboard/playground',
    signedIn: true,
    prepare: chatOnce,
    // The page requests the receipt until the request is settled, and browsers report every 404.
    expected: /status of 404 .*\/api\/requests\/req_\w+\)$/,
  },
  { name: 'account', path: () => '/dashboard/account', signedIn: true },
  { name: 'security', path: () => '/dashboard/account/security', signedIn: true },
  { name: 'members', path: () => '/dashboard/members', signedIn: true },
  { name: 'audit', path: () => '/dashboard/audit', signedIn: true },
  { name: 'admin-keys', path: () => '/dashboard/admin-keys', signedIn: true },
  {
    name: 'create-admin-key',
    path: () => '/dashboard/admin-keys',
    signedIn: true,
    prepare: openAdminKeyForm,
  },
  { name: 'end-users', path: () => '/dashboard/account/end-users', signedIn: true },
  { name: 'end-user', path: () => '/dashboard/account/end-user?id=customer-17', signedIn: true },
  { name: 'webhooks', path: () => '/dashboard/webhooks', signedIn: true },
  { name: 'webhook', path: ({ webhookId }) => `/dashboard/webhooks/${webhookId}`, signedIn: true },
  ...Object.entries(CONSOLE).map(
    ([name, path]): PageCase => ({ name: `console-${name}`, path, signedIn: true, isOperator: true }),
  ),
];

/** Screen size and color scheme. */
export interface Display {
  viewport: { width: number; height: number };
  scheme: Scheme;
}

const LAPTOP_LIGHT: Display = { viewport: LAPTOP, scheme: 'light' };
const LAPTOP_DARK: Display = { viewport: LAPTOP, scheme: 'dark' };
const PHONE_LIGHT: Display = { viewport: PHONE, scheme: 'light' };
const PHONE_DARK: Display = { viewport: PHONE, scheme: 'dark' };

/** Two places after each display is its opposite, with the other viewport and the other scheme. */
export const DISPLAYS: readonly Display[] = [LAPTOP_LIGHT, LAPTOP_DARK, PHONE_DARK, PHONE_LIGHT];

export const SMALL_LAPTOP_LIGHT: Display = { viewport: SMALL_LAPTOP, scheme: 'light' };

/** Displays on which axe reads a page. One reading costs more than the layout checks on all displays. */
const AXE_DISPLAYS: readonly Display[] =
  process.env.AXE_ON_EVERY_DISPLAY === 'true'
    ? [...DISPLAYS, SMALL_LAPTOP_LIGHT]
    : [LAPTOP_LIGHT, PHONE_DARK];

/** Matches messages that axe causes: it reads styles in ways that the content security policy refuses. */
export const OF_AXE = /content security policy|preload/i;

/** Loads the page and waits until it is complete. */
export async function load({ page }: Visitor, { path, loaded }: PageCase, scene: DemoScene): Promise<void> {
  await page.goto(path(scene));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await isComplete(page);
  await loaded?.(page);
}

export async function setDisplay({ page }: Visitor, { viewport, scheme }: Display): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
}

/** Shows the open page on another display, without loading it again. */
export async function switchDisplay(visitor: Visitor, display: Display): Promise<void> {
  await setDisplay(visitor, display);
  const { page } = visitor;
  const { scheme } = display;
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
  await isComplete(page);
}

async function isComplete(page: Page): Promise<void> {
  await expect.poll(() => page.locator(STILL_LOADING).count(), POLL).toBe(0);
  await page.evaluate(COLOURS_HAVE_CHANGED);
}

/** @throws if the open page has a fault. @param display the current one, for the message */
export async function expectNoFault(
  visitor: Visitor,
  each: Pick<PageCase, 'name' | 'expected'>,
  display: Display,
  withAxe = true,
): Promise<void> {
  const where = `${each.name} at ${display.viewport.width} px, ${display.scheme}`;
  expect(problemsOf(visitor, each), where).toEqual([]);
  if (withAxe) {
    expect(await seriousViolations(visitor.page), where).toEqual([]);
    expect(problemsOf(visitor, each).filter(isNotOfAxe), `${where}, after axe`).toEqual([]);
  }
  await expectLayout(visitor, where);
}

/**
 * Shows the open page on each display, without loading it again. Axe reads it on a display and its opposite;
 * `npm run test:long` repeats these tests with axe on every display.
 * @throws if the page has a fault on one of them
 */
export async function expectNoFaultOn(
  displays: readonly Display[],
  visitor: Visitor,
  each: Pick<PageCase, 'name' | 'expected'>,
): Promise<void> {
  for (const display of displays) {
    await switchDisplay(visitor, display);
    await expectNoFault(visitor, each, display, AXE_DISPLAYS.includes(display));
    await saveScreenshot(visitor, each, display);
  }
}

/** @throws if the open page or one of its tables is wider than the screen, or an id or word is broken */
export async function expectLayout({ page }: Visitor, where: string): Promise<void> {
  expect(await overflow(page), `${where} is wider than the screen`).toBe(0);
  expect(await inPage(page, WIDE_TABLES, z.array(z.string())), `${where} has wide tables`).toEqual([]);
  expect(await brokenWords(page), `${where} breaks words`).toEqual([]);
}

/** Pages with a dialog, which a picture of the full page would show in the middle of much space. */
const DIALOGS = new Set(['create-admin-key', 'create-key', 'new-key', 'edit-rules']);

export async function saveScreenshot(
  { page }: Visitor,
  { name }: Pick<PageCase, 'name'>,
  { viewport, scheme }: Display,
): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}-${viewport.width}-${scheme}.png`);
  // A full-page picture of a scrolled page would show its fixed header in the middle.
  await page.evaluate('window.scrollTo(0, 0)');
  await page.screenshot({ path, fullPage: !DIALOGS.has(name) });
}

/** Returns the problems since the last call, without the expected ones. */
function problemsOf({ problems }: Visitor, { expected }: Pick<PageCase, 'expected'>): string[] {
  return problems.splice(0).filter((problem) => expected?.test(problem) !== true);
}

function isNotOfAxe(problem: string): boolean {
  return !OF_AXE.test(problem);
}

async function openKeyForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog').getByLabel('Works until').waitFor();
}

async function openAdminKeyForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create admin key' }).click();
  await page.getByRole('dialog').getByLabel('Works until').waitFor();
}

async function createKey(page: Page): Promise<void> {
  await createAndCopyKey(page, 'Nightly reports');
}

async function inviteOnce(page: Page): Promise<void> {
  await submitDialog(page, 'Add seat', { 'E-mail': 'katherine@example.com' });
  await page.getByLabel('Invitation link').waitFor();
}

async function editRules(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit rules' }).click();
  await page.getByRole('dialog').getByLabel('Amount', { exact: true }).first().waitFor();
}

async function chartsDrawn(page: Page): Promise<void> {
  await page.locator('.recharts-surface').first().waitFor();
}

async function chatOnce(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('What can you do for me?');
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: /receipt/i })
    .first()
    .waitFor();
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const axeFindings = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullable(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/** Runs axe, injected by the debugger: the site's content security policy allows no foreign script. */
export async function seriousViolations(page: Page): Promise<unknown[]> {
  if (!(await inPage(page, '"axe" in window', z.boolean()))) await page.evaluate(axeSource);
  const violations = await inPage(
    page,
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
    axeFindings,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => [html, failureSummary]),
    }));
}

/** Lists tables that have to be scrolled sideways. */
const WIDE_TABLES = `[...document.querySelectorAll('table')]
  .filter(({ parentElement: { scrollWidth, clientWidth } }) => scrollWidth > clientWidth)
  .map((table) => [table.ariaLabel, table.scrollWidth, table.parentElement.clientWidth].join(' '))`;

/** Returns by how many pixels the page can be scrolled sideways. */
async function overflow(page: Page): Promise<number> {
  return await inPage(
    page,
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    z.number(),
  );
}
