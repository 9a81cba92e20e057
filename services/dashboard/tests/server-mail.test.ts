import { linkIn, type MailServer, startMailServer } from '@model-gateway/test-kit/mail-server';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysResponse } from '../wire/keys.ts';
import { addSeatResponse, teamsResponse } from '../wire/teams.ts';
import {
  Browser,
  createKey,
  createTeam,
  newAddress,
  PASSWORD,
  PUBLIC_URL,
  refusal,
  type Server,
  signedUp,
  startServerOf,
  tokenOf,
} from './server-fixture.ts';

let gateway: TestGateway;
let mailServer: MailServer;
let server: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0, signupPoolUsd: '3.00' });
  mailServer = await startMailServer();
  server = await start(mailServer.url);
});
afterAll(async () => {
  await server?.close();
  await mailServer?.[Symbol.asyncDispose]();
  await gateway?.close();
});

function start(SMTP_URL: string, settings: Record<string, string> = {}): Promise<Server> {
  return startServerOf(gateway, { SMTP_URL, MAIL_FROM: 'Gateway <gateway@example.com>', ...settings });
}

const poolsOf = async (browser: Browser) =>
  teamsResponse.parse(await browser.json('/api/teams')).accountPools;
const NEW_PASSWORD = 'another good password';

async function confirmed(email = newAddress()): Promise<Browser> {
  const browser = await signedUp(server, email);
  const token = tokenOf(linkIn(await mailServer.mailTo(email)));
  const response = await browser.post('/api/email-verification', { token });
  if (response.status !== 204) throw new Error(`verification: ${response.status} ${await response.text()}`);
  return browser;
}

describe('a sign-up where mail is configured', () => {
  it('is confirmed by the mailed link, and the account then gets its included balance', async () => {
    const email = newAddress();
    const browser = await signedUp(server, email);
    expect(await browser.json('/api/session')).toMatchObject({
      user: { email, emailVerified: false },
      sendsMail: true,
    });
    expect(await poolsOf(browser)).toEqual([]);
    const mail = await mailServer.mailTo(email);
    expect(mail).toMatchObject({ from: 'gateway@example.com', to: [email] });
    expect(mail.text).toMatch(/^From: Gateway <gateway@example\.com>\r?$/m);
    const link = linkIn(mail);
    expect(link).toMatch(new RegExp(`^${PUBLIC_URL}/verify-email#token=[\\w-]{43}$`));
    const token = tokenOf(link);
    expect((await browser.post('/api/email-verification', { token })).status).toBe(204);
    expect(await browser.json('/api/session')).toMatchObject({ user: { email, emailVerified: true } });
    expect(await poolsOf(browser)).toMatchObject([{ includedUsd: '3.000000000' }]);
    const again = await browser.post('/api/email-verification', { token });
    expect(await refusal(again)).toEqual([404, 'not_found']);
    expect(await poolsOf(browser)).toHaveLength(1);
    await using sql = openSql(gateway.databaseUrl);
    const kept = JSON.stringify(await sql.rows('SELECT * FROM dashboard_verifications'));
    expect(kept + server.logText()).not.toContain(token);
    expect(server.logText()).not.toContain(email);
  });

  it('is not confirmed by whoever has the mail but no session of that user', async () => {
    const email = newAddress();
    const impostor = await signedUp(server, email);
    const token = tokenOf(linkIn(await mailServer.mailTo(email)));
    const nobody = new Browser(server);
    expect(await refusal(await nobody.post('/api/email-verification', { token }))).toEqual([
      401,
      'signed_out',
    ]);
    const other = await confirmed();
    expect(await refusal(await other.post('/api/email-verification', { token }))).toEqual([404, 'not_found']);
    expect(await impostor.json('/api/session')).toMatchObject({ user: { emailVerified: false } });
    // The failed attempts have not used up the link.
    expect((await impostor.post('/api/email-verification', { token })).status).toBe(204);
  });

  it('gets further links on request, but not many, and each of them works until one is used', async () => {
    const email = newAddress();
    const browser = await signedUp(server, email);
    const first = tokenOf(linkIn(await mailServer.mailTo(email)));
    const statuses: number[] = [];
    for (let tried = 0; tried < 6; tried++) {
      statuses.push((await browser.post('/api/email-verification/request')).status);
    }
    expect(statuses).toEqual([204, 204, 204, 204, 429, 429]);
    const last = tokenOf(linkIn(await mailServer.mailTo(email, 4)));
    expect(last).not.toBe(first);
    expect((await browser.post('/api/email-verification', { token: first })).status).toBe(204);
    expect((await browser.post('/api/email-verification', { token: last })).status).toBe(404);
  });
});

describe('an invitation where mail is configured', () => {
  it('is mailed, and accepted without its link by whoever has confirmed the address', async () => {
    const owner = await confirmed();
    const { id } = await createTeam(owner, 'Research');
    const email = newAddress();
    const { invitation } = addSeatResponse.parse(
      await owner.json(`/api/teams/${id}/seats`, { body: { email } }),
    );
    expect(invitation?.isMailed).toBe(true);
    const mail = await mailServer.mailTo(email);
    expect(mail.text).toContain('Research');
    expect(linkIn(mail)).toBe(invitation?.link);
    const member = await signedUp(server, email);
    expect(teamsResponse.parse(await member.json('/api/teams')).offeredSeats).toEqual([]);
    const token = tokenOf(linkIn(await mailServer.mailTo(email, 1)));
    await member.post('/api/email-verification', { token });
    const { offeredSeats } = teamsResponse.parse(await member.json('/api/teams'));
    expect(offeredSeats).toMatchObject([{ teamName: 'Research', email }]);
    const { invitationId } = offeredSeats[0] ?? {};
    expect((await member.post('/api/invitations/accept', { invitationId })).status).toBe(201);
  });

  it('is not mailed for an owner with an unverified address, and not more than five times', async () => {
    const unproven = await signedUp(server);
    const { id } = await createTeam(unproven, 'Phishing');
    const offer = async (browser: Browser, teamId: string, email: string) =>
      addSeatResponse.parse(await browser.json(`/api/teams/${teamId}/seats`, { body: { email } })).invitation;
    const email = newAddress();
    expect(await offer(unproven, id, email)).toMatchObject({ isMailed: false, link: expect.any(String) });
    const owner = await confirmed();
    const own = await createTeam(owner, 'Annoying');
    const mailed: unknown[] = [];
    for (let times = 0; times < 7; times++) mailed.push((await offer(owner, own.id, email))?.isMailed);
    expect(mailed).toEqual([true, true, true, true, true, false, false]);
    await mailServer.mailTo(email, 4);
    expect(mailServer.mails.filter(({ text }) => text.includes('Phishing'))).toEqual([]);
  });
});

describe('a new password by mail', () => {
  it('ends the sessions but not the keys of a user with a verified address', async () => {
    const email = newAddress();
    const browser = await confirmed(email);
    await browser.json('/api/keys', { body: { name: 'Laptop' } });
    const forgetful = new Browser(server);
    const asked = await forgetful.post('/api/password-reset/request', { email: email.toUpperCase() });
    expect([asked.status, await asked.text()]).toEqual([204, '']);
    const token = tokenOf(linkIn(await mailServer.mailTo(email, 1)));
    const reset = { token, password: NEW_PASSWORD };
    expect((await forgetful.post('/api/password-reset', { token, password: 'short' })).status).toBe(400);
    expect((await forgetful.post('/api/password-reset', reset)).status).toBe(204);
    expect(await refusal(await forgetful.post('/api/password-reset', reset))).toEqual([404, 'not_found']);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect((await forgetful.signIn(email)).status).toBe(401);
    expect((await forgetful.signIn(email, NEW_PASSWORD)).status).toBe(200);
    expect(await forgetful.json('/api/keys')).toMatchObject({
      keys: [{ name: 'Laptop', revokedAtMs: null }],
    });
  });

  it('gives the account to whoever has the mail, and ends the session and the keys of an impostor', async () => {
    const email = newAddress();
    const impostor = await signedUp(server, email);
    const { key } = await createKey(impostor, 'Kept');
    const real = new Browser(server);
    await real.post('/api/password-reset/request', { email });
    const mail = await mailServer.mailTo(email, 1);
    const token = tokenOf(linkIn(mail));
    expect((await real.post('/api/password-reset', { token, password: NEW_PASSWORD })).status).toBe(204);
    expect(await refusal(await impostor.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect((await impostor.signIn(email, PASSWORD)).status).toBe(401);
    expect((await real.signIn(email, NEW_PASSWORD)).status).toBe(200);
    expect(await real.json('/api/session')).toMatchObject({ user: { email, emailVerified: true } });
    const { keys } = keysResponse.parse(await real.json('/api/keys'));
    expect(keys).toMatchObject([{ id: key.id, revokedAtMs: expect.any(Number) }]);
    expect(await poolsOf(real)).toHaveLength(1);
  });

  it('has the same response for an unknown address, to which nothing is mailed', async () => {
    const [known, unknown] = [newAddress(), newAddress()];
    await confirmed(known);
    const responses = await Promise.all(
      [known, unknown].map(async (email) => {
        const response = await new Browser(server).post('/api/password-reset/request', { email });
        return [response.status, await response.text(), [...response.headers.keys()].sort()];
      }),
    );
    expect(responses[1]).toEqual(responses[0]);
    await mailServer.mailTo(known, 1);
    expect(mailServer.mails.filter(({ to }) => to.includes(unknown))).toEqual([]);
  });

  it('can be requested three times in 15 minutes by one client, and a stranger does not use that up', async () => {
    const email = newAddress();
    await confirmed(email);
    const stranger = new Browser(server);
    const statuses: number[] = [];
    for (let tried = 0; tried < 4; tried++) {
      statuses.push((await stranger.post('/api/password-reset/request', { email })).status);
    }
    expect(statuses).toEqual([204, 204, 204, 429]);
    expect((await new Browser(server).post('/api/password-reset/request', { email })).status).toBe(204);
  });

  it('can be set with the first link after a stranger has requested another, and then neither link works', async () => {
    const email = newAddress();
    await confirmed(email);
    const links: string[] = [];
    for (const browser of [new Browser(server), new Browser(server)]) {
      await browser.post('/api/password-reset/request', { email });
      links.push(tokenOf(linkIn(await mailServer.mailTo(email, links.length + 1))));
    }
    const statuses = [];
    for (const token of links) {
      const reset = { token, password: NEW_PASSWORD };
      statuses.push((await new Browser(server).post('/api/password-reset', reset)).status);
    }
    expect(statuses).toEqual([204, 404]);
  });
});

describe('a mail server that refuses mails', () => {
  it('does not prevent a sign-up, and is logged without the address', async () => {
    await using refusing = await startMailServer();
    refusing.refuse();
    await using away = await start('smtp://127.0.0.1:9');
    await using refused = await start(refusing.url);
    for (const other of [away, refused]) {
      const email = newAddress();
      const browser = await signedUp(other, email);
      expect(await browser.json('/api/session')).toMatchObject({ user: { email, emailVerified: false } });
      await until(() => other.logText().includes('a mail could not be sent'));
      expect(other.logText()).not.toContain(email);
    }
  });
});

describe('a dashboard without mail', () => {
  it('refuses to send mail, and gives a new account its balance at once', async () => {
    await using silent = await startServerOf(gateway);
    const browser = await signedUp(silent);
    expect(await browser.json('/api/session')).toMatchObject({ sendsMail: false });
    // Without mail and single sign-on nothing can verify an address, so the balance does not wait for that.
    expect(await poolsOf(browser)).toHaveLength(1);
    const paths = ['/api/password-reset/request', '/api/email-verification/request'];
    for (const path of paths) {
      expect(await refusal(await browser.post(path, { email: newAddress() }))).toEqual([404, 'not_found']);
    }
  });
});

it('with ALLOWED_EMAIL_DOMAINS, an account can do nothing before its address is confirmed', async () => {
  await using strict = await start(mailServer.url, {
    ALLOWED_EMAIL_DOMAINS: 'example.com',
    PRODUCT_NAME: 'Acme AI',
  });
  const email = newAddress();
  const browser = await signedUp(strict, email);
  // Closing the sign-up later admits nobody who has not confirmed.
  await using closed = await start(mailServer.url, {
    ALLOWED_EMAIL_DOMAINS: 'example.com',
    SIGNUP: 'closed',
  });
  const later = new Browser(closed);
  await later.signIn(email, PASSWORD);
  expect(await refusal(await later.fetch('/api/keys'))).toEqual([403, 'address_not_verified']);
  expect(await browser.json('/api/session')).toMatchObject({ addressNeedsProof: true });
  for (const response of [
    await browser.fetch('/api/keys'),
    await browser.post('/api/keys', { name: 'Early' }),
  ])
    expect(await refusal(response)).toEqual([403, 'address_not_verified']);
  const mail = await mailServer.mailTo(email);
  expect(mail.text).toContain('signed up at Acme AI');
  const token = tokenOf(linkIn(mail));
  expect((await browser.post('/api/email-verification', { token })).status).toBe(204);
  expect((await createKey(browser, 'Late')).key.name).toBe('Late');
});
