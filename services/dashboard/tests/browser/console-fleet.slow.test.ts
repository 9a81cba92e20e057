import { addPool } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newPerson, signInUnseen, signUpUnseen } from './act.ts';
import { demoCatalog } from './demo-catalog.ts';
import { createDemoScene, type DemoScene } from './demo-scene.ts';
import { DISPLAYS, expectNoFaultOn, load, type PageCase, setDisplay } from './every-page.ts';
import { LAPTOP, NO_BROWSER, type Visitor, withBrowser } from './open-browser.ts';
import { POLL, TIMEOUT_MS } from './timeouts.ts';

const MAX_FIRST_LOAD_BYTES = 300_000;

describe.skipIf(NO_BROWSER !== undefined)(
  'the fleet, the audit log and the playground of the console',
  () => {
    const site = withBrowser(() => ({ dashboard: true, ownPools: true, document: demoCatalog }));
    let scene: DemoScene;
    let operator: Visitor;

    beforeAll(async () => {
      scene = await createDemoScene(site.gateway, site.browser);
      operator = await site.browser.visit();
      await signInAs('operator', operator);
    });
    afterAll(async () => {
      await operator?.[Symbol.asyncDispose]();
    });

    /** Signs a new person in, with a role in the installation. */
    async function signInAs(role: 'auditor' | 'operator', visitor: Visitor): Promise<void> {
      const person = newPerson();
      await signUpUnseen(visitor, person);
      await using sql = openSql(site.gateway.databaseUrl);
      await addPool(site.gateway.admin, { kind: 'account', id: person.email }, '25.00');
      await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', person.email);
      await site.gateway.admin.call(TIMEOUT_MS, 'members', 'grantRole', { email: person.email, role });
      await signInUnseen(visitor, person);
    }

    const PAGES: readonly PageCase[] = [
      { name: 'fleet', path: () => '/operate/fleet', signedIn: true, prepare: isReported },
      { name: 'audit log', path: () => '/operate/audit', signedIn: true },
      {
        name: 'playground',
        path: () => '/operate/playground',
        signedIn: true,
        prepare: compareModels,
        // The page requests the receipt until the request is settled, and browsers report every 404.
        expected: /status of 404 .*\/api\/requests\/req_\w+\)$/,
      },
    ];

    it.each(PAGES)('$name: no fault on any display, at most 300 kB over the wire', async (each) => {
      const { page } = operator;
      await page.goto('about:blank');
      operator.problems.splice(0);
      const bytes = await countBytes(operator);
      await setDisplay(operator, DISPLAYS[0] ?? { viewport: LAPTOP, scheme: 'light' });
      await load(operator, each, scene);
      expect(bytes()).toBeGreaterThan(50_000);
      expect(bytes()).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
      await each.prepare?.(page);
      const name = `console-${each.name.replace(' ', '-')}`;
      await expectNoFaultOn(DISPLAYS, operator, { ...each, name });
    });

    it('a data plane is drained and taken back with a click, and auditors have no such button', async () => {
      const { page } = operator;
      await setDisplay(operator, { viewport: LAPTOP, scheme: 'light' });
      await page.goto('/operate/fleet');
      await isReported(page);
      await page.getByRole('button', { name: /^Drain / }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('It is the only data plane in traffic').waitFor();
      await dialog.getByRole('button', { name: 'Drain' }).click();
      await page.getByText('Drained', { exact: true }).waitFor();
      const ready = `http://127.0.0.1:${site.gateway.dataPlanes[0]?.internalPort}/health/ready`;
      const reasons = await fetch(ready);
      expect([reasons.status, await reasons.text()]).toEqual([503, expect.stringContaining('operator')]);
      await page.getByRole('button', { name: /^Take .* back$/ }).click();
      await page.getByText('In traffic', { exact: true }).waitFor();
      expect((await fetch(ready)).status).toBe(200);

      await using auditor = await site.browser.visit();
      await signInAs('auditor', auditor);
      await auditor.page.goto('/operate/fleet');
      await isReported(auditor.page);
      expect(await auditor.page.getByRole('button', { name: /^Drain / }).count()).toBe(0);
    });

    it('the ledger and the audit log are verified with a click, and their results stay', async () => {
      const { page } = operator;
      for (const [path, button, result] of [
        ['/operate/fleet', 'Verify the ledger', /Everything agrees|Sums disagree/],
        ['/operate/audit', 'Verify the audit log', 'The log is intact'],
      ] as const) {
        await page.goto(path);
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('status').getByText(result).waitFor();
        await page.reload();
        await page.getByRole('status').getByText(result).waitFor();
      }
    });

    it('events are found by account, object, time and outcome, and opened with what they changed', async () => {
      const { page } = operator;
      await page.goto('/operate/audit?action=data_plane.drained');
      const events = page.getByRole('table', { name: 'Audit events' });
      await events.getByText('data_plane.drained').waitFor();
      await page.getByRole('button', { name: /^Open data_plane.drained/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('region', { name: 'Before' }).getByText('"drained": false').waitFor();
      await dialog.getByRole('region', { name: 'After' }).getByText('"drained": true').waitFor();
      await page.keyboard.press('Escape');
      await using sql = openSql(site.gateway.databaseUrl);
      const [account] = await sql.rows("SELECT id FROM accounts WHERE email = 'ada@example.com'");
      await page.goto(
        `/operate/audit?account=${z.object({ id: z.string() }).parse(account).id}&action=account.created`,
      );
      await expect.poll(() => events.getByRole('row').count(), POLL).toBe(2);
      await page.getByLabel('Until').fill('2020-01-01T00:00');
      await page.getByText('No event matches.').waitFor();
      await page.goto('/operate/audit?action=account.created&outcome=done');
      await events.getByText('account.created').first().waitFor();
      await page.getByLabel('Outcome').selectOption('denied');
      await page.getByText('No event matches.').waitFor();
      await page.goto('/operate/audit?object=nothing');
      await page.getByText('No event matches.').waitFor();
    });

    it.each(['Messages', 'Responses'])('the playground uses the %s API', async (api) => {
      const { page } = operator;
      await page.goto('/operate/playground');
      await page.getByLabel('API').selectOption({ label: api });
      await page.getByLabel('Message').fill('Hello!');
      await page.keyboard.press('Enter');
      const conversation = page.getByRole('region', { name: 'Conversation' });
      await conversation.getByRole('link', { name: 'Receipt' }).waitFor();
      await conversation.getByText(/^Tokens /).waitFor();
      await page.getByRole('button', { name: 'View code' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`/v1/${api.toLowerCase()}'`).waitFor();
      await dialog.getByRole('tab', { name: 'Python' }).click();
      await dialog.getByText('client.').first().waitFor();
    });
  },
);

/** Data planes report within seconds. */
async function isReported(page: Page): Promise<void> {
  await page.getByText('In traffic', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Control planes' }).getByText('Up to date').waitFor();
}

/** Asks two models at once, and waits for the cost of both answers. */
async function compareModels(page: Page): Promise<void> {
  await page.getByText('Your own account pays').waitFor();
  const second = page.getByLabel('Compare with');
  const other = await second.locator('option').nth(2).getAttribute('value');
  await second.selectOption(other ?? '');
  await page.getByLabel('Message').fill('Say hello to both of us.');
  await page.keyboard.press('Enter');
  const conversations = page.getByRole('region', { name: /^Conversation with / });
  await expect.poll(() => conversations.getByRole('link', { name: 'Receipt' }).count(), POLL).toBe(2);
  await expect.poll(() => conversations.getByText(/^First token/).count(), POLL).toBe(2);
  await expect.poll(() => conversations.getByText(/^Tokens /).count(), POLL).toBe(2);
}

/** Empties the cache. @returns a function that returns the bytes received since */
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
