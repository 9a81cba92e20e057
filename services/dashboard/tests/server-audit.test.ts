import { openSql } from '@model-gateway/test-kit/open-sql';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { auditEvent, auditResponse } from '../wire/audit.ts';
import { securityResponse } from '../wire/security.ts';
import { sessionResponse } from '../wire/session.ts';
import { withInstallationRole } from './people-fixture.ts';
import {
  Browser,
  createKey,
  createTeam,
  newAddress,
  PASSWORD,
  refusal,
  signedUp,
  startServer,
  startServerOf,
  withServer,
} from './server-fixture.ts';
import { SoftwarePasskey } from './software-passkey.ts';

const TIMEOUT_MS = 30_000;

const site = withServer({ dataPlanes: 0 });

async function accountIdOf(browser: Browser): Promise<string> {
  const { user } = sessionResponse.parse(await browser.json('/api/session'));
  return user?.accountId ?? '';
}

async function eventsOf(browser: Browser, query = '') {
  return auditResponse.parse(await browser.json(`/api/audit-events${query}`)).events;
}

describe('the audit log of an account', () => {
  it('has its own events alone, by action and by who did it', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const stranger = await signedUp(site.server);
    const { key } = await createKey(browser, 'Mine');
    await createKey(stranger, 'Of a stranger');
    await createTeam(browser, 'Team');
    const accountId = await accountIdOf(browser);
    const events = await eventsOf(browser);
    expect(events.map(({ accountId: owner }) => owner).filter((owner) => owner !== accountId)).toEqual([]);
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['account.created', 'api_key.created', 'team.created']),
    );
    expect(await eventsOf(browser, '?action=api_key.created')).toMatchObject([
      {
        actor: { type: 'user', email, ip: expect.any(String) },
        way: 'dashboard',
        object: { id: key.id, name: 'Mine' },
        outcome: 'done',
      },
    ]);
    const byUser = await eventsOf(browser, `?actor=${encodeURIComponent(email)}`);
    expect(byUser.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['api_key.created', 'team.created']),
    );
    expect(await eventsOf(browser, '?actor=nobody@example.com')).toEqual([]);
  });

  it('is exported whole, one event a line, and never has a secret', async () => {
    const browser = await signedUp(site.server);
    const { rawKey } = await createKey(browser, 'Exported');
    const response = await browser.fetch('/api/audit-events.ndjson?action=api_key.created');
    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const text = await response.text();
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => auditEvent.parse(JSON.parse(line)).object.name)).toEqual(['Exported']);
    expect(text).not.toContain(rawKey);
  });

  it('of all accounts is for auditors of the installation, who may change nothing by that', async () => {
    const holder = await signedUp(site.server);
    const { key } = await createKey(holder, 'Of the holder');
    const reader = await withInstallationRole(site, 'auditor');
    const request = JSON.stringify({ query: { object_id: key.id } });
    const path = `/api/management/listAuditEvents?request=${encodeURIComponent(request)}`;
    const listed = await reader.fetch(path);
    expect(listed.headers.get('cache-control')).toBe('no-store');
    expect(await listed.json()).toMatchObject({
      data: [{ action: 'api_key.created', object: { type: 'key', id: key.id, name: 'Of the holder' } }],
    });
    expect((await holder.fetch(path)).status).toBe(403);
    expect(await eventsOf(reader, '?action=api_key.created')).toEqual([]);
    expect(await refusal(await reader.post(`/api/keys/${key.id}/revoke`))).toEqual([404, 'not_found']);
  });

  it('has sign-ins, failed ones, new passkeys and ended sessions, as gatewayctl lists them', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    expect((await new Browser(site.server).signIn(email, 'a wrong password')).status).toBe(401);
    const other = new Browser(site.server);
    expect((await other.signIn(email)).status).toBe(200);
    const passkey = new SoftwarePasskey();
    const options = await browser.json('/api/security/passkeys/options', { body: {} });
    const added = { name: 'Laptop', response: passkey.register(options) };
    expect((await browser.post('/api/security/passkeys', added)).status).toBe(204);
    const { sessions } = securityResponse.parse(await browser.json('/api/security'));
    const ended = sessions.find(({ isThis }) => !isThis)?.id ?? '';
    expect((await browser.post(`/api/security/sessions/${ended}/end`)).status).toBe(204);
    const expected = [
      { action: 'login.failed', outcome: 'denied' },
      { action: 'login.succeeded', outcome: 'done' },
      {
        action: 'passkey.added',
        outcome: 'done',
        object: { type: 'passkey', id: passkey.id, name: 'Laptop' },
      },
      { action: 'session.ended', outcome: 'done', object: { type: 'session', id: ended } },
    ];
    const accountId = await accountIdOf(browser);
    const { admin } = site.gateway;
    // A request does not wait for its report.
    await until(async () => {
      const shown = await eventsOf(browser);
      const listed = await admin.call(TIMEOUT_MS, 'audit', 'listAuditEvents', {
        account: accountId,
        filter: {},
        limit: 50,
      });
      for (const each of expected) {
        expect(shown).toContainEqual(expect.objectContaining(withPart(each)));
        expect(listed.events).toContainEqual(expect.objectContaining(withPart(each)));
      }
      return true;
    });
  });
});

describe('changes of sign-ins', () => {
  it('have exactly one event, also after the control plane could not be reached', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await using alone = await startServer({ databaseUrl: site.gateway.databaseUrl });
    const other = new Browser(alone);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} again` };
    expect((await other.post('/api/auth/change-password', passwords)).status).toBe(200);
    expect(alone.logText()).toContain('cannot report a change of a sign-in to the audit log; tries again');
    // Dashboards that reach the control plane deliver it at their start and every ten seconds.
    const servers = await Promise.all([1, 2, 3].map(() => startServerOf(site.gateway)));
    const reader = new Browser(site.server);
    for (const [name, value] of other.cookies) reader.cookies.set(name, value);
    const changed = () => eventsOf(reader, '?action=password.changed');
    await until(async () => (await changed()).length > 0, TIMEOUT_MS);
    for (const server of servers) await server.close();
    expect(await changed()).toHaveLength(1);
  });

  it('do not wait for those of an outage', async () => {
    const browser = await signedUp(site.server);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(`
      INSERT INTO dashboard_sign_in_changes (event_id, action, email, client_ip, request_id)
      SELECT 'aud_' || lpad(n::text, 24, '0'), 'session.ended', 'nobody@example.com', '192.0.2.1', 'req_' || n
      FROM generate_series(1, 10000) AS n`);
    expect((await browser.post('/api/security/sessions/end-others')).status).toBe(200);
    expect(
      await sql.run("DELETE FROM dashboard_sign_in_changes WHERE email = 'nobody@example.com'"),
    ).not.toBe(0);
  });

  it('of one user leave connections of the database to others', async () => {
    const [email, other] = [newAddress(), await signedUp(site.server)];
    const browser = await signedUp(site.server, email);
    await using sql = openSql(site.gateway.databaseUrl);
    let isLocked = true;
    const lock = sql
      .run(`
        DO $$ BEGIN
          PERFORM FROM dashboard_users WHERE email = '${email}' FOR UPDATE;
          PERFORM pg_sleep(4);
        END $$`)
      .then(() => {
        isLocked = false;
      });
    const passwords = { currentPassword: 'a wrong password', newPassword: `${PASSWORD} again` };
    const changes = Array.from({ length: 10 }, () => browser.post('/api/auth/change-password', passwords));
    const waiting = () => sql.rows(`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    await until(async () => (await waiting()).length > 1);
    for (let n = 0; n < 10; n++) expect((await other.fetch('/api/security')).status).toBe(200);
    expect(isLocked).toBe(true);
    await lock;
    // On a busy machine, the last ones wait too long.
    const statuses = new Set((await Promise.all(changes)).map(({ status }) => status));
    expect([[400], [400, 503]]).toContainEqual([...statuses].sort());
  });

  it('have no event if nothing changes', async () => {
    const browser = await signedUp(site.server);
    const off = await browser.post('/api/security/app/turn-off', { password: PASSWORD });
    expect(off.status).toBe(200);
    const wrong = { currentPassword: 'a wrong password', newPassword: `${PASSWORD} again` };
    expect((await browser.post('/api/auth/change-password', wrong)).status).toBe(400);
    expect((await browser.post('/api/security/passkeys/unknown/remove')).status).toBe(404);
    expect((await browser.post('/api/security/sessions/unknown/end')).status).toBe(404);
    expect((await browser.post('/api/security/sessions/end-others')).status).toBe(200);
    const actions = (await eventsOf(browser)).map(({ action }) => action);
    expect(actions.filter((action) => /^(totp|password|passkey|session)\./.test(action))).toEqual([]);
  });
});

function withPart({ object, ...event }: { action: string; outcome: string; object?: object }) {
  return object === undefined ? event : { ...event, object: expect.objectContaining(object) };
}
