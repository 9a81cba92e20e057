import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startGateway, type TestGateway } from '../../../../packages/test-kit/src/index.ts';
import { inPage, signIn } from './act.ts';
import { type DemoScene, playDemoScene } from './demo-scene.ts';
import {
  LAPTOP,
  NO_BROWSER,
  openBrowser,
  PHONE,
  type Scheme,
  type TestBrowser,
  type Visitor,
} from './open-browser.ts';

/** What stands where something is to come. */
const STILL_LOADING = '[data-loading], .mantine-Loader-root, .mantine-Skeleton-root';
const LOADING_MS = 20_000;
const MAX_FIRST_LOAD_BYTES = 300_000;
/** Where to write what the pages look like: `SCREENSHOTS=docs/screenshots npm test -- browser/pages`. */
const { SCREENSHOTS } = process.env;

interface PageCase {
  name: string;
  path: (scene: DemoScene) => string;
  signedIn: boolean;
  /** Brings the page into the state that is looked at. */
  prepare?: ((page: Page) => Promise<void>) | undefined;
  /** A message in the console that cannot be helped. */
  expected?: RegExp;
}

const PAGES: readonly PageCase[] = [
  { name: 'sign-in', path: () => '/sign-in', signedIn: false },
  { name: 'sign-up', path: () => '/sign-up', signedIn: false },
  { name: 'reset-password', path: () => '/reset-password#token=given-by-the-operator', signedIn: false },
  { name: 'forgot-password', path: () => '/forgot-password', signedIn: false },
  { name: 'verify-email', path: () => '/verify-email#token=from-a-mail', signedIn: false },
  { name: 'invitation', path: () => '/invitation#token=from-the-owner', signedIn: false },
  { name: 'status', path: () => '/status', signedIn: false },
  { name: 'public-models', path: () => '/models', signedIn: false },
  { name: 'api-keys', path: () => '/dashboard/api-keys', signedIn: true },
  { name: 'new-key', path: () => '/dashboard/api-keys', signedIn: true, prepare: openNewKey },
  { name: 'usage', path: () => '/dashboard/usage?range=30d', signedIn: true, prepare: chartsDrawn },
  { name: 'receipt', path: ({ requestId }) => `/dashboard/usage/requests/${requestId}`, signedIn: true },
  { name: 'teams', path: () => '/dashboard/teams', signedIn: true },
  { name: 'team', path: ({ teamId }) => `/dashboard/teams/${teamId}`, signedIn: true },
  {
    name: 'team-invitation',
    path: ({ teamId }) => `/dashboard/teams/${teamId}`,
    signedIn: true,
    prepare: inviteOnce,
  },
  { name: 'models', path: () => '/dashboard/models', signedIn: true },
  {
    name: 'playground',
    path: () => '/dashboard/playground',
    signedIn: true,
    prepare: chatOnce,
    // The receipt is asked for until the request is settled, and browsers report every 404.
    expected: /status of 404 .*\/api\/requests\/req_\w+\)$/,
  },
  { name: 'account', path: () => '/dashboard/account', signedIn: true },
];
const FORMS: readonly { viewport: { width: number; height: number }; scheme: Scheme }[] = [
  { viewport: LAPTOP, scheme: 'light' },
  { viewport: LAPTOP, scheme: 'dark' },
  { viewport: PHONE, scheme: 'light' },
  { viewport: PHONE, scheme: 'dark' },
];

describe.skipIf(NO_BROWSER !== undefined)('every page', () => {
  let gateway: TestGateway;
  let browser: TestBrowser;
  let scene: DemoScene;

  beforeAll(async () => {
    gateway = await startGateway({ dashboard: true, ownPools: true });
    browser = await openBrowser(gateway.dashboard?.url ?? '');
    scene = await playDemoScene(gateway, browser);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  it.each(FORMS)(
    'at $viewport.width px, $scheme: no serious accessibility violation, nothing wider than the screen, no message in the console, no request to another origin',
    async ({ viewport, scheme }) => {
      for (const signedIn of [false, true]) {
        await using visitor = await browser.visit({ viewport, scheme });
        if (signedIn) await signIn(visitor.page, scene.owner);
        for (const each of PAGES.filter((page) => page.signedIn === signedIn)) {
          await look(visitor, each, scene);
          expect(problemsOf(visitor, each), each.name).toEqual([]);
          expect(await seriousViolations(visitor.page), each.name).toEqual([]);
          expect(problemsOf(visitor, each).filter(isNotOfAxe), `${each.name}, after axe`).toEqual([]);
          expect(await overflow(visitor.page), `${each.name} is wider than the screen`).toBe(0);
          await keepScreenshot(visitor.page, `${each.name}-${viewport.width}-${scheme}`);
        }
      }
    },
  );

  it('loads with at most 300 kB over the wire', async () => {
    const loads: Record<string, number> = {};
    for (const each of PAGES) {
      await using visitor = await browser.visit();
      if (each.signedIn) await visitor.context.addCookies(await cookiesOf(browser, scene));
      const network = await visitor.context.newCDPSession(visitor.page);
      await network.send('Network.enable');
      let bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await look(visitor, { ...each, ...(each.name === 'usage' ? {} : { prepare: undefined }) }, scene);
      // What is fetched ahead for the next page belongs to it.
      await visitor.page.waitForTimeout(500);
      loads[each.name] = bytes;
    }
    console.log(`first load, bytes: ${JSON.stringify(loads)}`);
    for (const [name, bytes] of Object.entries(loads))
      expect(bytes, name).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
    // It measures what it says: a page has scripts.
    expect(Math.min(...Object.values(loads))).toBeGreaterThan(50_000);
  });
});

async function look({ page }: Visitor, { path, prepare }: PageCase, scene: DemoScene): Promise<void> {
  await page.goto(path(scene));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator(STILL_LOADING).count(), { timeout: LOADING_MS }).toBe(0);
  await prepare?.(page);
}

/** What has come since the last time, without what is expected. */
function problemsOf({ problems }: Visitor, { expected }: PageCase): string[] {
  return problems.splice(0).filter((problem) => expected?.test(problem) !== true);
}

/** axe reads styles in ways that the content security policy refuses. */
function isNotOfAxe(problem: string): boolean {
  return !/content security policy|preload/i.test(problem);
}

async function openNewKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Nightly reports');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Copy key' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
}

async function inviteOnce(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add seat' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('katherine@example.com');
  await dialog.getByRole('button', { name: 'Add seat' }).click();
  await page.getByLabel('Invitation link').waitFor();
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

let cookies: Awaited<ReturnType<Visitor['context']['cookies']>> | undefined;

/** Signed in once, so that what is loaded is the page alone. */
async function cookiesOf(browser: TestBrowser, scene: DemoScene) {
  if (cookies === undefined) {
    await using visitor = await browser.visit();
    await signIn(visitor.page, scene.owner);
    cookies = await visitor.context.cookies();
  }
  return cookies;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const axeFindings = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullable(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/** As the site's content security policy lets no script in, axe is put in from outside. */
async function seriousViolations(page: Page): Promise<unknown[]> {
  await page.evaluate(axeSource);
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

/** By how many pixels the page can be scrolled sideways. */
async function overflow(page: Page): Promise<number> {
  return await inPage(
    page,
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    z.number(),
  );
}

async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: !name.startsWith('new-key') });
}
