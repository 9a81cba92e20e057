import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoCatalog } from './demo-catalog.ts';
import { createDemoScene, type DemoScene } from './demo-scene.ts';
import {
  DISPLAYS,
  expectNoFault,
  load,
  PAGES,
  SMALL_LAPTOP_LIGHT,
  setDisplay,
  switchDisplay,
} from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';

const MAX_FIRST_LOAD_BYTES = 300_000;
const loads: Record<string, number> = {};

/**
 * Loads each page on one display, where axe reads it once, and checks the layout on the opposite display and
 * at 1280 px as well. pages.long.test.ts loads every page, and has axe read it, on every display.
 */
const CASES = PAGES.map((each, index) => ({
  ...each,
  first: DISPLAYS[index % 4] ?? DISPLAYS[0],
  opposite: DISPLAYS[(index + 2) % 4] ?? DISPLAYS[2],
}));

describe.skipIf(NO_BROWSER !== undefined)('every page', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true, document: demoCatalog }));
  let scene: DemoScene;
  let guest: Visitor;
  let owner: Visitor;
  let operator: Visitor;

  beforeAll(async () => {
    scene = await createDemoScene(site.gateway, site.browser);
    const visit = () => site.browser.visit();
    [guest, owner, operator] = await Promise.all([visit(), visit(), visit()]);
    await owner.context.addCookies(scene.cookies);
    await operator.context.addCookies(scene.operatorCookies);
  });
  afterAll(async () => {
    await guest?.[Symbol.asyncDispose]();
    await owner?.[Symbol.asyncDispose]();
    await operator?.[Symbol.asyncDispose]();
  });

  it.each(CASES)(
    '$name: no serious accessibility violation, nothing wider than the screen, no broken word, no message in the console, no request to another origin, at most 300 kB over the wire',
    async ({ first, opposite, ...each }) => {
      if (first === undefined || opposite === undefined) throw new Error('no display');
      const visitor = each.isOperator ? operator : each.signedIn ? owner : guest;
      // Leaves the page before, so that none of its requests are counted.
      await visitor.page.goto('about:blank');
      visitor.problems.splice(0);
      await setDisplay(visitor, first);
      const bytes = await countBytes(visitor);
      await load(visitor, each, scene);
      // Prefetching for the next page belongs to this page; later actions do not.
      await visitor.page.waitForLoadState('networkidle');
      loads[each.name] = bytes();
      await each.prepare?.(visitor.page);
      await expectNoFault(visitor, each, first);
      expect(loads[each.name]).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
      // Fewer would mean that the scripts were not counted.
      expect(loads[each.name]).toBeGreaterThan(50_000);
      for (const display of [opposite, SMALL_LAPTOP_LIGHT]) {
        await switchDisplay(visitor, display);
        await expectNoFault(visitor, each, display, false);
      }
    },
  );

  afterAll(() => console.log(`first load, bytes: ${JSON.stringify(loads)}`));
});

/**
 * Empties the cache.
 * @returns a function that returns the bytes received since; each URL counts once, because the page refreshes
 *   its figures while a slow machine still loads it
 */
async function countBytes({ context, page }: Visitor): Promise<() => number> {
  const network = await context.newCDPSession(page);
  const urls = new Map<string, string>();
  const bytes = new Map<string, number>();
  network.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId) ?? requestId;
    if (!bytes.has(url)) bytes.set(url, encodedDataLength);
  });
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  return () => [...bytes.values()].reduce((sum, one) => sum + one, 0);
}
