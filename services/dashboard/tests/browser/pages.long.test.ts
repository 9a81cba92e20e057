import { startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createDemoScene, type DemoScene } from './demo-scene.ts';
import { DISPLAYS, expectNoFault, keepScreenshot, load, PAGES } from './every-page.ts';
import { NO_BROWSER, openBrowser, type TestBrowser } from './open-browser.ts';

describe.skipIf(NO_BROWSER !== undefined)('every page in every form', () => {
  let gateway: TestGateway;
  let browser: TestBrowser;
  let scene: DemoScene;

  beforeAll(async () => {
    gateway = await startGateway({ dashboard: true, ownPools: true });
    browser = await openBrowser(gateway.dashboard?.url ?? '');
    scene = await createDemoScene(gateway, browser);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  it.each(DISPLAYS)(
    'loaded at $viewport.width px, $scheme: no serious accessibility violation, nothing wider than the screen, no message in the console, no request to another origin',
    async (form) => {
      for (const signedIn of [false, true]) {
        await using visitor = await browser.visit(form);
        if (signedIn) await visitor.context.addCookies(scene.cookies);
        for (const each of PAGES.filter((page) => page.signedIn === signedIn)) {
          await load(visitor, each, scene);
          await each.prepare?.(visitor.page);
          await expectNoFault(visitor, each, form);
          await keepScreenshot(visitor, each, form);
        }
      }
    },
  );
});
