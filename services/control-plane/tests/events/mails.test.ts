import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { type MailServer, startMailServer } from '@model-gateway/test-kit/mail-server';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAILS_PER_HOUR, MailDeliveryStore } from '../../src/mail/mail-delivery-store.ts';
import { expectRefusal } from '../fixtures/administration-fixture.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { type ControlPlanes, startControlPlanes } from '../fixtures/control-planes-fixture.ts';

const USD = 1_000_000_000;

let mailServer: MailServer;
let control: ControlPlanes;
beforeAll(async () => {
  mailServer = await startMailServer();
  const environment = {
    SMTP_URL: mailServer.url,
    PUBLIC_URL: 'https://dashboard.example.com',
    PRODUCT_NAME: 'Acme AI',
  };
  control = await startControlPlanes({ count: 2, environment });
});
afterAll(async () => {
  await control?.[Symbol.asyncDispose]();
  await mailServer?.[Symbol.asyncDispose]();
});

/** An account whose owner has proven its address, with a pool of 10 USD. */
async function verifiedPayer() {
  const { accountId } = await newPayer(control, '10.00');
  const address = `${accountId.toLowerCase()}@example.com`;
  await control.sql`UPDATE accounts SET email_verified_at = now(), email = ${address} WHERE id = ${accountId}`;
  const spend = async (usd: number) => {
    const allowance = new TestAllowance(control, accountId);
    await allowance.acquire({ needs: [usd * USD] });
    const used = { accountId, requestId: `req_${randomUUID()}`, allowanceId: allowance.id };
    await settleRows(control.query, [
      usageRow({ ...used, cost: String(usd * USD), modelId: 'sim/chat-pro', priceVersion: 1 }),
    ]);
  };
  return { accountId, address, spend };
}

const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to.includes(address));

/** Stores events of the installation, as if they had just happened. */
async function emit(count: number, name = randomUUID()): Promise<void> {
  const data = JSON.stringify({
    provider: name,
    status: 'major_outage',
    since: new Date().toISOString(),
    reason: 'failing',
    description: `${name} fails`,
  });
  await control.sql`
    SELECT emit_events(jsonb_agg(jsonb_build_object('id', 'evt_' || ${name}::text || n, 'type', 'provider.down',
      'data', ${data}::jsonb) ORDER BY n)) FROM generate_series(1, ${count}::int) AS n`;
}

function addMailWebhook(address: string) {
  return control.admin('webhooks', 'createWebhook', { url: `mailto:${address}`, events: ['provider.down'] });
}

it('the owner of an account gets one mail for the thresholds that a pool has reached, with the next step', async () => {
  const { address, spend } = await verifiedPayer();
  await spend(8.5);
  const mail = await mailServer.mailTo(address);
  expect(mail.text).toMatch(/^Subject: Acme AI: 80 % of a pool is used\r?$/m);
  expect(mail.text).toMatch(/8\.50 of 10\.00 USD/);
  expect(mail.text).toContain('When no pool has money left, requests are refused.');
  expect(mail.text).toContain('https://dashboard.example.com');
  await spend(1.5);
  expect((await mailServer.mailTo(address, 1)).text).toMatch(/is used up/);
  expect(mailsTo(address)).toHaveLength(2);
});

it('an account that switched these mails off, or whose address nobody has proven, gets none', async () => {
  const [quiet, unproven, loud] = [await verifiedPayer(), await verifiedPayer(), await verifiedPayer()];
  await control.sql`UPDATE accounts SET threshold_mails = false WHERE id = ${quiet.accountId}`;
  await control.sql`UPDATE accounts SET email_verified_at = NULL WHERE id = ${unproven.accountId}`;
  for (const each of [quiet, unproven, loud]) await each.spend(10);
  await mailServer.mailTo(loud.address);
  expect([...mailsTo(quiet.address), ...mailsTo(unproven.address)]).toEqual([]);
});

it('a mail that a killed control plane had claimed is sent by another one', async () => {
  const address = `${randomUUID()}@example.com`;
  const stopped = new MailDeliveryStore(control.prisma);
  await control.sql`
    SELECT emit_events(jsonb_build_array(jsonb_build_object('id', ${`evt_${address}`}::text,
      'type', 'webhook.test', 'data', '{}'::jsonb, 'mail_to', jsonb_build_array(${address}::text))))`;
  // Takes it like a control plane that is killed before it sends, or finds it sent already.
  await stopped.claim();
  await control.sql`
    UPDATE webhook_deliveries SET due_at = now() WHERE target = ${`mailto:${address}`} AND due_at IS NOT NULL`;
  await mailServer.mailTo(address);
});

it('an address gets at most six mails an hour, the last of which has all that wait', async () => {
  const address = `${randomUUID()}@example.com`;
  await addMailWebhook(address);
  await emit(600);
  await until(async () => {
    const rows = await control.sql`
      SELECT FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.target
      WHERE w.url = ${`mailto:${address}`} AND d.state = 'pending'`;
    return rows.length === 0;
  });
  expect(mailsTo(address)).toHaveLength(1);
  const [digest] = mailsTo(address);
  expect(digest?.text).toMatch(/^Subject: Acme AI: 600 events\r?$/m);
  expect(digest?.text).toContain('580 more are left out.');
  for (let sent = 1; sent < MAILS_PER_HOUR; sent++) {
    await emit(1);
    await mailServer.mailTo(address, sent);
  }
  await emit(1);
  await emit(1);
  // The mail server may have the last mail before that is stored.
  await until(async () => {
    const waiting = await control.sql`
      SELECT FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.target
      WHERE w.url = ${`mailto:${address}`} AND d.state = 'pending'`;
    return waiting.length === 2;
  });
  expect(mailsTo(address)).toHaveLength(MAILS_PER_HOUR);
  // An hour later there is room for one mail, which has both.
  await control.sql`
    UPDATE sent_mails SET sent_at = now() - interval '2 hours' WHERE number = (
      SELECT min(number) FROM sent_mails WHERE address = ${address}
    )`;
  expect((await mailServer.mailTo(address, MAILS_PER_HOUR)).text).toMatch(/Subject: Acme AI: 2 events/);
});

it('an operator can add a webhook that is mail, an account cannot', async () => {
  const address = `${randomUUID()}@example.com`;
  const { webhook } = await addMailWebhook(address);
  expect(webhook).toMatchObject({ url: `mailto:${address}` });
  const delivery = await control.admin('webhooks', 'testWebhook', { id: webhook?.id ?? '' });
  expect(delivery).toMatchObject({ state: 'delivered' });
  expect((await mailServer.mailTo(address)).text).toContain('This is a test');
  const { accountId } = await verifiedPayer();
  const wanted = { url: 'mailto:a@example.com', events: ['key.created'], account: accountId };
  await expectRefusal(control.admin('webhooks', 'createWebhook', wanted), GrpcStatus.INVALID_ARGUMENT);
  for (const url of ['mailto:a@example.com,b@example.com', 'mailto:%', 'mailto:a%0Ab@example.com']) {
    const wrong = { url, events: ['provider.down'] };
    await expectRefusal(control.admin('webhooks', 'createWebhook', wrong), GrpcStatus.INVALID_ARGUMENT);
  }
});

it('a mail that the mail server refuses is sent again later', async () => {
  const address = `${randomUUID()}@example.com`;
  await using refusing = await startMailServer();
  refusing.refuse();
  await using own = await startControlPlanes({ environment: { SMTP_URL: refusing.url } });
  await own.sql`
    SELECT emit_events(jsonb_build_array(jsonb_build_object('id', 'evt_refused', 'type', 'webhook.test',
      'data', '{}'::jsonb, 'mail_to', jsonb_build_array(${address}::text))))`;
  await until(async () => {
    const rows = await own.sql`
      SELECT FROM webhook_deliveries WHERE event_id = 'evt_refused' AND state = 'pending' AND tries = 1 AND due_at > now()`;
    return rows.length === 1;
  });
  expect(own.logText()).toContain('a mail of events could not be sent');
  expect(own.logText()).not.toContain(address);
});
