import { beforeAll, describe, it } from 'vitest';
import { demoCatalog } from './demo-catalog.ts';
import { createDemoScene, type DemoScene } from './demo-scene.ts';
import {
  DISPLAYS,
  expectNoFault,
  load,
  PAGES,
  type PageCase,
  SMALL_LAPTOP_LIGHT,
  saveScreenshot,
} from './every-page.ts';
import { NO_BROWSER, withBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('every page on every display', () => {
  const site = withBrowser(() => ({ dashboard: true, ownPools: true, document: demoCatalog }));
  let scene: DemoScene;

  beforeAll(async () => {
    scene = await createDemoScene(site.gateway, site.browser);
  });

  it.each([...DISPLAYS, SMALL_LAPTOP_LIGHT])(
    'loaded at $viewport.width px, $scheme: no serious accessibility violation, nothing wider than the screen, no broken word, no message in the console, no request to another origin',
    async (display) => {
      const guestCookies: DemoScene['cookies'] = [];
      for (const cookies of [guestCookies, scene.cookies, scene.operatorCookies]) {
        await using visitor = await site.browser.visit(display);
        await visitor.context.addCookies(cookies);
        const cookiesOf = ({ isOperator, signedIn }: PageCase) =>
          isOperator ? scene.operatorCookies : signedIn ? scene.cookies : guestCookies;
        for (const each of PAGES.filter((page) => cookiesOf(page) === cookies)) {
          await load(visitor, each, scene);
          await each.prepare?.(visitor.page);
          await expectNoFault(visitor, each, display);
          await saveScreenshot(visitor, each, display);
        }
      }
    },
  );
});
