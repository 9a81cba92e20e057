import { postJson } from '@model-gateway/test-kit';
import { addPool } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKeyResponse } from '../wire/keys.ts';
import { sessionResponse } from '../wire/session.ts';
import { teamsResponse } from '../wire/teams.ts';
import { usageResponse } from '../wire/usage.ts';
import {
  type Browser,
  createTeam,
  giveSeat,
  newAddress,
  refusal,
  signedUp,
  withServer,
} from './server-fixture.ts';

const site = withServer();
let owner: Browser;
let member: Browser;
let poolId: string;
let teamId: string;
let memberSeat: string;
let otherSeat: string;

beforeAll(async () => {
  const [ownerEmail, memberEmail, otherEmail] = [newAddress(), newAddress(), newAddress()];
  owner = await signedUp(site.server, ownerEmail);
  member = await signedUp(site.server, memberEmail);
  const other = await signedUp(site.server, otherEmail);
  poolId = await addPool(site.gateway.admin, { kind: 'account', id: ownerEmail }, '10');
  teamId = (await createTeam(owner, 'Team')).id;
  memberSeat = await giveSeat(owner, teamId, { member, email: memberEmail });
  otherSeat = await giveSeat(owner, teamId, { member: other, email: otherEmail });
});

const teamsOf = async (browser: Browser) => teamsResponse.parse(await browser.json('/api/teams'));
const hour = () => `width=hour&fromMs=${Date.now() - 3_600_000}&toMs=${Date.now() + 60_000}`;

describe('the owner of a team', () => {
  it('moves money from the account to the team and to a seat', async () => {
    const moves = [
      { fromPoolId: poolId, to: { teamId: teamId }, usd: '3', name: 'For all' },
      { fromPoolId: poolId, to: { seatId: memberSeat }, usd: '2.5' },
    ];
    for (const body of moves) expect((await owner.post('/api/money/move', body)).status).toBe(204);
    const { teams, accountPools } = await teamsOf(owner);
    expect(accountPools).toMatchObject([{ id: poolId, remainingUsd: '4.500000000' }]);
    expect(teams[0]?.pools.map(({ scope, includedUsd }) => [scope, includedUsd]).sort()).toEqual([
      ['seat', '2.500000000'],
      ['team', '3.000000000'],
    ]);
    const tooMuch = await owner.post('/api/money/move', {
      fromPoolId: poolId,
      to: { teamId: teamId },
      usd: '4.500000001',
    });
    expect(await refusal(tooMuch)).toEqual([409, 'conflict']);
  });

  it('sets its rate limit, up to the default', async () => {
    expect((await owner.post(`/api/teams/${teamId}/limit`, { requestsPerMinute: 50 })).status).toBe(204);
    expect((await teamsOf(owner)).teams[0]?.requestsPerMinute).toBe(50);
    for (const requestsPerMinute of [601, 2 ** 32 + 1]) {
      const response = await owner.post(`/api/teams/${teamId}/limit`, { requestsPerMinute });
      expect([requestsPerMinute, ...(await refusal(response))]).toEqual([
        requestsPerMinute,
        400,
        'invalid_request',
      ]);
    }
    expect((await teamsOf(owner)).teams[0]?.requestsPerMinute).toBe(50);
    const noAddress = newAddress().replace(/@.*/, '');
    const strange = await owner.post(`/api/teams/${teamId}/seats`, { email: noAddress });
    expect(await refusal(strange)).toEqual([400, 'invalid_request']);
  });

  it('sees the usage of another person’s seat, but none of its keys and requests', async () => {
    const { rawKey } = createKeyResponse.parse(
      await member.json('/api/keys', { body: { name: 'Private name', seatId: memberSeat } }),
    );
    const body = { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'Hello' }] };
    const chat = await postJson(site.gateway.baseUrl, rawKey, 'chat/completions', body);
    expect(chat.status).toBe(200);
    await chat.text();
    const usageOf = async (browser: Browser) =>
      usageResponse.parse(await browser.json(`/api/usage?${hour()}&seatId=${memberSeat}`));
    await until(async () => (await usageOf(owner)).totals.requests === 1);
    const seen = await usageOf(owner);
    expect(seen.byModel).toMatchObject([{ model: 'sim/chat-pro', requests: 1 }]);
    expect(seen.byKey).toEqual([]);
    expect((await usageOf(member)).byKey).toMatchObject([{ name: 'Private name', requests: 1 }]);
    const csv = await owner.fetch(`/api/usage.csv?${hour()}&seatId=${memberSeat}`);
    expect(await csv.text()).toMatch(/,sim\/chat-pro,,,1,/);
    const requests = await owner.fetch(`/api/requests?fromMs=0&toMs=${Date.now()}&seatId=${memberSeat}`);
    expect(await refusal(requests)).toEqual([404, 'not_found']);
  });

  it('removes a seat, which revokes its keys', async () => {
    expect(await owner.json(`/api/seats/${memberSeat}/remove`, { body: {} })).toEqual({
      revokedKeys: 1,
      refusedEverywhere: true,
    });
    expect((await teamsOf(member)).teams).toEqual([]);
  });
});

describe('a member of a team', () => {
  it('sees neither its owner nor other members', async () => {
    const { user } = sessionResponse.parse(await owner.json('/api/session'));
    const email = newAddress();
    const another = await signedUp(site.server, email);
    await giveSeat(owner, teamId, { member: another, email });
    const seen = JSON.stringify(await another.json('/api/teams'));
    expect(seen).toContain(teamId);
    for (const hidden of [user?.accountId ?? '', user?.email ?? '', otherSeat]) {
      expect(hidden).not.toBe('');
      expect(seen).not.toContain(hidden);
    }
  });

  it('sees only their own seat, and can change nothing', async () => {
    const email = newAddress();
    const another = await signedUp(site.server, email);
    await giveSeat(owner, teamId, { member: another, email });
    const { teams } = await teamsOf(another);
    expect(teams).toMatchObject([{ id: teamId, role: 'member', seats: [{ email, isOwn: true }] }]);
    const attempts: [string, object][] = [
      [`/api/teams/${teamId}/limit`, { requestsPerMinute: 1 }],
      [`/api/teams/${teamId}/seats`, { email: newAddress() }],
      ['/api/money/move', { fromPoolId: teams[0]?.pools[0]?.id, usd: '1' }],
    ];
    for (const [path, body] of attempts) {
      expect([path, ...(await refusal(await another.post(path, body)))]).toEqual([
        path,
        403,
        'permission_denied',
      ]);
    }
    const others = [
      await another.post(`/api/seats/${otherSeat}/remove`),
      await another.fetch(`/api/usage?${hour()}&seatId=${otherSeat}`),
    ];
    for (const response of others) expect(await refusal(response)).toEqual([404, 'not_found']);
    expect((await teamsOf(owner)).teams[0]?.seats.map(({ id }) => id)).toContain(otherSeat);
  });
});
