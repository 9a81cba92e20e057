import type { InstallationRole } from '@model-gateway/shared/access';
import type { TestGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { type InviteMemberResponse, inviteMemberResponse } from '../wire/members.ts';
import { type SessionResponse, sessionResponse } from '../wire/session.ts';
import { Browser, newAddress, type Server, signedUp } from './server-fixture.ts';

export interface Site {
  gateway: TestGateway;
  server: Server;
}

/** Signs up somebody whose address is verified, and signs them in. */
export async function verified(site: Site, email = newAddress()): Promise<Browser> {
  await signedUp(site.server, email);
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  return await signedIn(site, email);
}

/** Signs somebody in, which opens their accounts again. */
export async function signedIn({ server }: Site, email: string): Promise<Browser> {
  const browser = new Browser(server);
  const response = await browser.signIn(email);
  if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  return browser;
}

export async function userOf(browser: Browser): Promise<NonNullable<SessionResponse['user']>> {
  const { user } = sessionResponse.parse(await browser.json('/api/session'));
  if (user === null) throw new Error('nobody is signed in');
  return user;
}

export async function inviteMember(
  admin: Browser,
  email: string,
  role: string,
): Promise<InviteMemberResponse> {
  return inviteMemberResponse.parse(await admin.json('/api/members', { body: { email, role } }));
}

/** Adds somebody to the account of `owner`, in which they work from then on. */
export async function joined(site: Site, owner: Browser, role: string): Promise<Browser> {
  const email = newAddress();
  const { member } = await inviteMember(owner, email, role);
  const browser = await verified(site, email);
  const accepted = await browser.post('/api/memberships/accept', { invitationId: member.id });
  if (!accepted.ok) throw new Error(`membership: ${accepted.status} ${await accepted.text()}`);
  return browser;
}

/** Signs up somebody with a role in the installation. */
export async function withInstallationRole(site: Site, role: InstallationRole): Promise<Browser> {
  const email = newAddress();
  await verified(site, email);
  await site.gateway.admin.call(30_000, 'members', 'grantRole', { email, role });
  return await signedIn(site, email);
}
