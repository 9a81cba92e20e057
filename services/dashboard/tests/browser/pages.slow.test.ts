import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoScene, type DemoScene } from './demo-scene.ts';
import { DISPLAYS, expectNoFault, load, PAGES, setDisplay, switchDisplay } from './every-page.ts';
import { NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';

const MAX_FIRST_LOAD_BYTES = 300_000;
const loads: Record<string, number> = {};

/**
 * One form in which a page is loaded, and the opposite one, into which it is turned: together they have each
 * viewport and each scheme. Which of them is loaded changes from page to page. pages.long.test.ts loads every
 * page in every form.
 */
const CASES = PAGES.map((each, index) => ({
  ...each,
  loaded: DISPLAYS[index % 4] ?? DISPLAYS[0],
  turned: DISPLAYS[(index + 2) % 4] ?? DISPLAYS[2],
}));

describe.skipIf(NO_BROWSER !== undefined)('every page', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true }));
  let scene: DemoScene;
  let guest: Visitor;
  let owner: Visitor;

  beforeAll(async () => {
    scene = await createDemoScene(site.gateway, site.browser);
    [guest, owner] = await Promise.all([site.browser.visit(), site.browser.visit()]);
    await owner.context.addCookies(scene.cookies);
  });
  afterAll(async () => {
    await guest?.[Symbol.asyncDispose]();
    await owner?.[Symbol.asyncDispose]();
  });

  it.each(CASES)(
    '$name: no serious accessibility violation, nothing wider than the screen, no message in the console, no request to another origin, at most 300 kB over the wire',
    async ({ loaded, turned, ...each }) => {
      if (loaded === undefined || turned === undefined) throw new Error('there is no form to look at it in');
      const visitor = each.signedIn ? owner : guest;
      // Nothing of the page before is left, or comes while this one is counted.
      await visitor.page.goto('about:blank');
      visitor.problems.splice(0);
      await setDisplay(visitor, loaded);
      const bytes = await countBytes(visitor);
      await load(visitor, each, scene);
      if (each.prepare !== undefined && each.name !== 'usage') {
        // Prefetching for the next page belongs to this page; later actions do not.
        await visitor.page.waitForLoadState('networkidle');
        loads[each.name] = bytes();
      }
      await each.prepare?.(visitor.page);
      await expectNoFault(visitor, each, loaded);
      await visitor.page.waitForLoadState('networkidle');
      loads[each.name] ??= bytes();
      expect(loads[each.name]).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
      // It measures what it says: a page has scripts.
      expect(loads[each.name]).toBeGreaterThan(50_000);
      await switchDisplay(visitor, turned);
      await expectNoFault(visitor, each, turned);
    },
  );

  afterAll(() => console.log(`first load, bytes: ${JSON.stringify(loads)}`));
});

/** Empties the cache. @returns how many bytes have come over the wire since */
async function countBytes({ context, page }: Visitor): Promise<() => number> {
  const network = await context.newCDPSession(page);
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  return () => bytes;
}
