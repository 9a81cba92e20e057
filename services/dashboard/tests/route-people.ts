import { randomUUID } from 'node:crypto';
import { ACCOUNT_ROLES, type AccountRole, type InstallationRole } from '@model-gateway/shared/access';
import { addPool } from '@model-gateway/test-kit';
import type { Sql } from '@model-gateway/test-kit/open-sql';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { z } from 'zod';
import { createAdminKeyResponse } from '../wire/admin-keys.ts';
import { addSeatResponse } from '../wire/teams.ts';
import { inviteMember, joined, type Site, userOf, verified, withInstallationRole } from './people-fixture.ts';
import { type Browser, createKey, createTeam, newAddress, tokenOf } from './server-fixture.ts';

/** A site, and a connection to its database: opening one for each object takes longer than its statement. */
export interface SiteWithSql extends Site {
  sql: Sql;
}

/** Somebody who is signed in, and the account in which they act. */
export interface Person {
  browser: Browser;
  email: string;
  role: AccountRole;
  installation?: InstallationRole;
  account: { id: string; email: string; owner: Browser };
}

async function personOf(browser: Browser, owner = browser): Promise<Person> {
  const [{ email, role }, { accountId, email: ownerEmail }] = await Promise.all([
    userOf(browser),
    userOf(owner),
  ]);
  return { browser, email, role, account: { id: accountId, email: ownerEmail, owner } };
}

export async function signUpOwner(site: Site): Promise<Person> {
  return await personOf(await verified(site));
}

/** Signs up one person for each role of an account, and others who have none in it. */
export async function signUpPeople(site: Site): Promise<Record<string, Person>> {
  const owner = await verified(site);
  const members = ACCOUNT_ROLES.filter((role) => role !== 'owner');
  const people: Record<string, Person> = { owner: await personOf(owner) };
  for (const role of members) people[role] = await personOf(await joined(site, owner, role), owner);
  people['holder of another account'] = await signUpOwner(site);
  for (const installation of ['operator', 'auditor'] as const) {
    const person = await personOf(await withInstallationRole(site, installation));
    people[`${installation} of the installation`] = { ...person, installation };
  }
  return people;
}

/** Makes new objects of a person or their account. For a viewer, who makes no keys, the owner makes them. */
export function objectsOf({ gateway, sql }: SiteWithSql, { account, browser, email, role }: Person) {
  const { owner } = account;
  const insertForUser = async (statement: string): Promise<string> => {
    const id = randomUUID();
    await sql.run(statement, id, email);
    return id;
  };
  const team = async () => (await createTeam(owner, 'Team')).id;
  const addSeat = async (address: string) =>
    addSeatResponse.parse(await owner.json(`/api/teams/${await team()}/seats`, { body: { email: address } }));
  const key = async () => (await createKey(role === 'viewer' ? owner : browser, 'Key')).key.id;
  return {
    team,
    key,
    seat: async () => (await addSeat(account.email)).seatId ?? '',
    /** Offers a seat in the account to an address. */
    async invitation(address = newAddress()) {
      const { invitation } = await addSeat(address);
      return { id: invitation?.id ?? '', token: tokenOf(invitation?.link ?? '') };
    },
    pool: () => addPool(gateway.admin, { kind: 'account', id: account.id }, '10'),
    /** Offers the account to an address. */
    async offer(address = newAddress()) {
      const { link, member } = await inviteMember(owner, address, 'viewer');
      return { id: member.id, token: tokenOf(link) };
    },
    async adminKey() {
      const body = { name: 'CI', scopes: ['keys:read'], networks: [] };
      return createAdminKeyResponse.parse(await owner.json('/api/admin-keys', { body })).key.id;
    },
    async webhook() {
      const url = 'https://receiver.invalid/webhooks';
      const body = { url, events: ['key.created'], format: 'standard', description: '' };
      return z.object({ id: z.string() }).parse(await owner.json('/api/webhooks', { body })).id;
    },
    /** Settles a request with a key of the person. */
    async request() {
      const row = usageRow({ accountId: account.id, keyId: await key() });
      await settleRows((text, values) => sql.run(text, ...values), [row]);
      return row.requestId;
    },
    /** Settles a request whose contents nothing can decrypt. */
    async contents() {
      const requestId = await this.request();
      await sql.run(
        `INSERT INTO contents_keys (account_id, days, sealed, pepper_fingerprint) VALUES ($1, 7, '\\x00', '')
         ON CONFLICT (account_id) WHERE sealed IS NOT NULL DO UPDATE SET sealed = '\\x00'`,
        account.id,
      );
      await sql.run(
        `INSERT INTO request_contents (key_id, request_id, sealed)
         SELECT id, $2, '\\x00' FROM contents_keys WHERE account_id = $1`,
        account.id,
        requestId,
      );
      return requestId;
    },
    session: () =>
      insertForUser(`
        INSERT INTO dashboard_sessions (id, token, user_id, expires_at, updated_at)
        SELECT $1, $1, id, now() + interval '1 day', now() FROM dashboard_users WHERE email = $2`),
    passkey: () =>
      insertForUser(`
        INSERT INTO dashboard_passkeys (id, user_id, name, public_key, counter, transports)
        SELECT $1, id, 'Laptop', '\\x00', 0, '{}' FROM dashboard_users WHERE email = $2`),
  };
}
