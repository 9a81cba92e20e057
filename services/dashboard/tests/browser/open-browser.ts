import { findChromium, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { type BrowserContext, chromium, type Page, type Request, type Response } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { TIMEOUT_MS } from './timeouts.ts';

export type Scheme = 'light' | 'dark';

export interface VisitorOptions {
  scheme?: Scheme;
  viewport?: { width: number; height: number };
  /** Records every response body for `bodies`, which slows the visit down. */
  keepBodies?: boolean;
  /** Opens the site as `localhost`: passkeys need a name. */
  byName?: boolean;
}

/** A visitor with their own browser context, so that no cookies are shared. */
export interface Visitor extends AsyncDisposable {
  context: BrowserContext;
  page: Page;
  siteUrl: string;
  /** Console messages, exceptions and requests to other origins: a good page has none. */
  problems: string[];
  /** Returns the bodies of all responses so far. @throws without `keepBodies` */
  bodies(): Promise<{ url: string; body: string }[]>;
}

export interface TestBrowser extends AsyncDisposable {
  visit(options?: VisitorOptions): Promise<Visitor>;
}

const search = findChromium();
/** Why tests in a browser cannot run here; undefined: they can. */
export const NO_BROWSER = 'missing' in search ? search.missing : undefined;
export const LAPTOP = { width: 1440, height: 900 };
/** The narrowest window that shows tables with all their columns. */
export const SMALL_LAPTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Starts a gateway with the dashboard, and a browser, for the tests of a block. */
export function withBrowser(optionsOf: () => GatewayOptions | Promise<GatewayOptions>): {
  gateway: TestGateway;
  browser: TestBrowser;
} {
  const site: Partial<{ gateway: TestGateway; browser: TestBrowser }> = {};
  beforeAll(async () => {
    site.gateway = await startGateway(await optionsOf());
    const url = site.gateway.dashboard?.url ?? '';
    // Until a read of the catalog has succeeded, the dashboard answers 503 if it takes longer than 3 s.
    for (const path of ['status', 'models']) await until(async () => (await fetch(`${url}/api/${path}`)).ok);
    site.browser = await openBrowser(url);
  });
  afterAll(async () => {
    await site.browser?.[Symbol.asyncDispose]();
    await site.gateway?.close();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the browser has not been started yet');
    return part;
  };
  return {
    get gateway() {
      return started(site.gateway);
    },
    get browser() {
      return started(site.browser);
    },
  };
}

type GatewayOptions = Parameters<typeof startGateway>[0];

/** @param ownUrl the only origin that its pages may talk to */
async function openBrowser(ownUrl: string): Promise<TestBrowser> {
  if ('missing' in search) throw new Error(search.missing);
  const browser = await chromium.launch({
    executablePath: search.executablePath,
    // Chromium's sandbox does not start as root, as in containers.
    args: ['--no-sandbox'],
  });
  return {
    async visit({ scheme = 'light', viewport = LAPTOP, keepBodies = false, byName = false } = {}) {
      const siteUrl = byName ? ownUrl.replace('127.0.0.1', 'localhost') : ownUrl;
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport,
        locale: 'en-US',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
        baseURL: siteUrl,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      const problems: string[] = [];
      const recorded: Promise<{ url: string; body: string }>[] = [];
      page.on('console', (message) => {
        // A change of the machine's network, after which the browser retries.
        if (message.text().includes('net::ERR_NETWORK_CHANGED')) return;
        if (['error', 'warning'].includes(message.type()))
          problems.push(`console: ${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
      page.on('request', (request) => {
        if (isElsewhere(request, siteUrl)) problems.push(`request to ${request.url()}`);
      });
      if (keepBodies) page.on('response', (response) => recorded.push(bodyOf(response)));
      return {
        context,
        page,
        siteUrl,
        problems,
        async bodies() {
          if (!keepBodies) throw new Error('this visitor keeps no bodies');
          return await Promise.all(recorded);
        },
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function isElsewhere(request: Request, siteUrl: string): boolean {
  const { protocol, origin } = new URL(request.url());
  return protocol !== 'data:' && protocol !== 'blob:' && origin !== siteUrl;
}

async function bodyOf(response: Response): Promise<{ url: string; body: string }> {
  const url = response.url();
  try {
    return { url, body: await response.text() };
  } catch {
    // There is no body to read: it was a redirect, or the page has been left.
    return { url, body: '' };
  }
}
