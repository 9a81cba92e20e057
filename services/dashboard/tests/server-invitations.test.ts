import type { ResetPasswordResponseMessage } from '@model-gateway/contracts';
import { addPool } from '@model-gateway/test-kit/start-gateway';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { addSeatResponse, teamsResponse } from '../wire/teams.ts';
import {
  Browser,
  createKey,
  createTeam,
  giveSeat,
  invite,
  newAddress,
  PUBLIC_URL,
  refusal,
  signedUp,
  withServer,
} from './server-fixture.ts';

const site = withServer();
let owner: Browser;
let teamId: string;
beforeAll(async () => {
  const email = newAddress();
  owner = await signedUp(site.server, email);
  const poolId = await addPool(site.gateway.admin, { kind: 'account', id: email }, '10');
  teamId = (await createTeam(owner, 'Research')).id;
  await owner.post('/api/money/move', {
    fromPoolId: poolId,
    to: { teamId: teamId },
    usd: '10',
    name: 'All',
  });
});

const teamsOf = async (browser: Browser) => teamsResponse.parse(await browser.json('/api/teams'));

/** Returns the status of a paid request. */
async function chatStatus(apiKey: string): Promise<number> {
  const client = new OpenAI({ apiKey, baseURL: `${site.gateway.baseUrl}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const response = client.chat.completions.create({ model: 'sim/chat-pro', messages }).asResponse();
  return await response.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof OpenAI.APIError ? Number(error.status) : 0),
  );
}

async function resetByOperator(account: string, revokeKeys?: boolean): Promise<ResetPasswordResponseMessage> {
  return await site.gateway.admin.callOnce(10_000, 'accounts', 'resetPassword', {
    account,
    ...(revokeKeys === undefined ? {} : { revokeKeys }),
  });
}

describe('a seat that an owner gives to an address', () => {
  it('is not given to whoever signs up with the address, before or after that', async () => {
    const email = newAddress();
    const before = await signedUp(site.server, email);
    const { seatId, invitation } = addSeatResponse.parse(
      await owner.json(`/api/teams/${teamId}/seats`, { body: { email } }),
    );
    expect(seatId).toBeNull();
    const late = newAddress();
    await invite(owner, teamId, late);
    const after = await signedUp(site.server, late);
    for (const impostor of [before, after]) {
      const seen = await teamsOf(impostor);
      expect(seen).toMatchObject({ teams: [], offeredSeats: [] });
      const byId = await impostor.post('/api/invitations/accept', { invitationId: invitation?.id });
      expect(await refusal(byId)).toEqual([404, 'not_found']);
    }
    const shown = (await teamsOf(owner)).teams[0];
    expect(shown?.seats).toEqual([]);
    expect(shown?.invitations.map((each) => each.email).sort()).toEqual([email, late].sort());
  });

  it('is given to whoever has its link, which is shown once and has its token in the fragment', async () => {
    const email = newAddress();
    const response = addSeatResponse.parse(
      await owner.json(`/api/teams/${teamId}/seats`, { body: { email } }),
    );
    const link = response.invitation?.link ?? '';
    expect(link).toMatch(new RegExp(`^${PUBLIC_URL}/invitation#token=[\\w-]{43}$`));
    expect(response.invitation).toMatchObject({ email, isMailed: false });
    const token = link.replace(/.*=/, '');
    expect(JSON.stringify(await owner.json('/api/teams'))).not.toContain(token);
    const member = await signedUp(site.server, email);
    expect(await member.json('/api/invitations/find', { body: { token } })).toMatchObject({
      teamName: 'Research',
      email,
    });
    expect((await member.post('/api/invitations/accept', { token })).status).toBe(201);
    const again = await (await signedUp(site.server)).post('/api/invitations/accept', { token });
    expect(await refusal(again)).toEqual([404, 'not_found']);
    expect(await teamsOf(member)).toMatchObject({
      teams: [{ id: teamId, role: 'member', seats: [{ isOwn: true }] }],
    });
    expect(site.server.logText()).not.toContain(token);
  });

  it('is accepted without the link by an account whose address an operator has verified', async () => {
    const email = newAddress();
    await site.gateway.admin.callOnce(5_000, 'accounts', 'createAccount', { email, name: 'Made' });
    await invite(owner, teamId, email);
    const { token } = await resetByOperator(email);
    const password = 'a password that is new';
    const member = new Browser(site.server);
    expect((await member.post('/api/password-reset', { token, password })).status).toBe(204);
    await member.signIn(email, password);
    expect(await member.json('/api/session')).toMatchObject({ user: { emailVerified: true } });
    const [offered] = (await teamsOf(member)).offeredSeats;
    expect(offered).toMatchObject({ teamName: 'Research', email });
    const accepted = await member.post('/api/invitations/accept', { invitationId: offered?.invitationId });
    expect(accepted.status).toBe(201);
    expect(await teamsOf(member)).toMatchObject({ teams: [{ id: teamId }], offeredSeats: [] });
  });

  it('can be withdrawn only by the owner', async () => {
    const email = newAddress();
    const token = await invite(owner, teamId, email);
    const id = (await teamsOf(owner)).teams[0]?.invitations.find((each) => each.email === email)?.id;
    const stranger = await signedUp(site.server, email);
    const path = `/api/invitations/${id}/withdraw`;
    expect(await refusal(await stranger.post(path))).toEqual([404, 'not_found']);
    expect((await owner.post(path)).status).toBe(204);
    expect(await refusal(await stranger.post('/api/invitations/accept', { token }))).toEqual([
      404,
      'not_found',
    ]);
    expect(await refusal(await owner.post(path))).toEqual([404, 'not_found']);
  });
});

describe("an operator's reset", () => {
  it('ends the sessions, the password and the keys of an impostor at once', async () => {
    const email = newAddress();
    const impostor = await signedUp(site.server, email);
    const seatId = await giveSeat(owner, teamId, { member: impostor, email });
    const { rawKey } = await createKey(impostor, 'Kept', seatId);
    expect(await chatStatus(rawKey)).toBe(200);
    const { revokedKeyIds, token } = await resetByOperator(email);
    expect(revokedKeyIds).toHaveLength(1);
    expect(await chatStatus(rawKey)).toBe(401);
    expect(await refusal(await impostor.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await refusal(await impostor.signIn(email))).toEqual([401, 'wrong_credentials']);
    expect(await refusal(await impostor.signUp(email))).toEqual([409, 'sign_up_refused']);
    const real = new Browser(site.server);
    const password = 'a password of the real one';
    expect((await real.post('/api/password-reset', { token, password })).status).toBe(204);
    expect((await real.signIn(email, password)).status).toBe(200);
    expect((await teamsOf(real)).teams).toMatchObject([{ id: teamId, role: 'member' }]);
  });

  it('leaves the keys active with --no-revoke-keys', async () => {
    const email = newAddress();
    const holder = await signedUp(site.server, email);
    const { rawKey } = await createKey(holder, 'Kept');
    await addPool(site.gateway.admin, { kind: 'account', id: email }, '1');
    expect((await resetByOperator(email, false)).revokedKeyIds).toEqual([]);
    expect(await refusal(await holder.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await chatStatus(rawKey)).toBe(200);
  });

  it('refuses a request that began before it and whose body arrives after it', async () => {
    const email = newAddress();
    const impostor = await signedUp(site.server, email);
    const body = JSON.stringify({ name: 'late' });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const held = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(body.slice(0, 5)));
        begin();
        await released;
        controller.enqueue(new TextEncoder().encode(body.slice(5)));
        controller.close();
      },
    });
    const response = fetch(`${site.server.url}/api/teams`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: PUBLIC_URL,
        cookie: [...impostor.cookies].map((pair) => pair.join('=')).join('; '),
      },
      body: held,
      duplex: 'half',
    });
    await began;
    const slow = performance.now();
    // After CHECK_AGAIN_AFTER_MS the server checks the session again.
    while (performance.now() - slow < 1_300) await impostor.fetch('/api/keys');
    await resetByOperator(email);
    release();
    expect(await refusal(await response)).toEqual([401, 'signed_out']);
  });
});
