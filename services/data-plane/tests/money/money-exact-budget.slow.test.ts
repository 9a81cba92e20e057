import { setTimeout as wait } from 'node:timers/promises';
import {
  openBooks,
  postJson,
  startGateway,
  type TestGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addBudget, spentIn } from './budget-fixture.ts';
import { exactBudgetDrill } from './money-exact-budget.ts';
import { IMAGE, IMAGE_NANO_USD, runLoad } from './money-exact-pool.ts';
import { addSeat, createTeam, expectLedgerAgrees, payingKey, warmKey } from './money-fixture.ts';

const PLANES = { dataPlanes: 4, controlPlanes: 2 };
const HOUR_MS = 3_600_000;
const LOAD = { requests: 200, connections: 50 };
const images = (count: number) => BigInt(count) * IMAGE_NANO_USD;

function urlsOf({ dataPlanes, urlOf }: TestGateway): string[] {
  return dataPlanes.map((_, index) => urlOf(index));
}

/** A seat in a team, each with plenty of money, so that only budgets refuse. */
async function richSeats(gateway: TestGateway, count: number) {
  const teamId = await createTeam(gateway);
  const seats = [];
  for (let index = 0; index < count; index++) seats.push(await addSeat(gateway, teamId));
  await gateway.admin.call(10_000, 'pools', 'addPool', {
    owner: { kind: 'team', id: teamId },
    includedUsd: '1000',
    resets: 'never',
    name: 'Plenty',
  });
  return { teamId, seats };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a budget under many requests at once on four data planes', () => {
  const gateway = withGateway(PLANES);

  it('serves exactly 20 of 200 requests of a key', async () => {
    const { keyId, rawKey } = await payingKey(gateway);
    const id = await addBudget(gateway.books, `key:${keyId}`, images(20));
    await exactBudgetDrill(gateway, {
      ...LOAD,
      urls: urlsOf(gateway),
      rawKeys: [rawKey],
      budgets: [{ id, window: 'total', images: 20 }],
      covered: 20,
    });
  });

  it('serves exactly as many requests as budgets of key, two seats, team and account allow together', async () => {
    const { teamId, seats } = await richSeats(gateway, 2);
    const [first, second] = seats;
    if (first === undefined || second === undefined) throw new Error('no seats');
    const team = await addBudget(gateway.books, `team:${teamId}`, images(25));
    const limited: [owner: string, limit: number][] = [
      [`key:${first.keyId}`, 30],
      [`seat:${first.seatId}`, 9],
      [`account:${first.account}`, 12],
    ];
    const ofFirst = [];
    for (const [owner, limit] of limited) ofFirst.push(await addBudget(gateway.books, owner, images(limit)));
    const ofSecond = await addBudget(gateway.books, `seat:${second.seatId}`, images(40));
    await exactBudgetDrill(gateway, {
      ...LOAD,
      urls: urlsOf(gateway),
      rawKeys: seats.map(({ rawKey }) => rawKey),
      budgets: [{ id: team, window: 'total', images: 25 }],
      covered: 25,
    });
    // The team's budget may be used up before the first seat's.
    const [spent = 0n, ...others] = await Promise.all(
      ofFirst.map(async (id) => (await spentIn(gateway, id)).get('total')),
    );
    expect(others).toEqual([spent, spent]);
    expect(spent).toBeLessThanOrEqual(images(9));
    expect((await spentIn(gateway, ofSecond)).get('total')).toBe(images(25) - spent);
  });

  it('serves exactly 5 requests of each of three end users, and no more than the key may have', async () => {
    const { account, keyId, rawKey } = await payingKey(gateway);
    const template = await addBudget(gateway.books, `end_users:${account}`, images(5));
    const ofKey = await addBudget(gateway.books, `key:${keyId}`, images(14));
    for (const url of urlsOf(gateway)) await warmKey(url, rawKey);
    const users = ['ann', 'bob/1', 'Zoë'];
    const { statuses } = await runLoad({
      ...LOAD,
      ...IMAGE,
      urls: urlsOf(gateway),
      rawKeys: [rawKey],
      headers: users.map((user) => ({ 'x-gateway-end-user': Buffer.from(user).toString('latin1') })),
    });
    expect(statuses).toEqual({ 200: 14, 402: 186 });
    const spent = [...(await spentIn(gateway, template))].map(([, nanoUsd]) => nanoUsd);
    expect(spent).toHaveLength(3);
    expect(spent.reduce((sum, each) => sum + each, 0n)).toBe(images(14));
    expect(spent.every((each) => each <= images(5))).toBe(true);
    expect(await spentIn(gateway, ofKey)).toEqual(new Map([['total', images(14)]]));
    await expectLedgerAgrees(gateway);
  });
});

describe('a daily budget at midnight on four data planes', () => {
  it('serves exactly 20 requests before midnight and exactly 20 after it, while requests keep coming', async () => {
    await using gateway = await startGateway(PLANES);
    await using books = openBooks(gateway.databaseUrl);
    const { account, keyId, rawKey } = await payingKey(gateway);
    // The time zone whose next midnight is the next full hour, and a clock that is set near it.
    const realNow = Date.now.bind(Date);
    const midnightMs = Math.ceil(realNow() / HOUR_MS) * HOUR_MS;
    const hour = new Date(midnightMs).getUTCHours();
    const timezone = hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
    await books.query('UPDATE accounts SET timezone = $1 WHERE id = $2', [timezone, account]);
    const id = await addBudget(books, `key:${keyId}`, images(20), 'day');
    for (const url of urlsOf(gateway)) await warmKey(url, rawKey);
    let shiftMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + shiftMs);
    const setClock = (nowMs: number) => {
      shiftMs = nowMs - realNow();
    };
    setClock(midnightMs - 10 * 60_000);
    const answers: Record<string, number> = {};
    let isOver = false;
    const lane = async (index: number) => {
      const url = gateway.urlOf(index % 4);
      while (!isOver) {
        const response = await postJson(url, rawKey, IMAGE.path, IMAGE.body);
        await response.arrayBuffer();
        answers[response.status] = (answers[response.status] ?? 0) + 1;
        // Pauses, because refused requests take CPU time from the others.
        if (!response.ok) await wait(20);
      }
    };
    const lanes = Promise.all(Array.from({ length: 40 }, (_, index) => lane(index)));
    const succeeded = async (count: number) => {
      await until(() => (answers[200] ?? 0) >= count, 120_000);
      // More would soon be too many.
      await wait(500);
      expect(answers[200]).toBe(count);
    };
    await succeeded(20);
    setClock(midnightMs - 200);
    await succeeded(40);
    isOver = true;
    await lanes;
    const spent = [...(await spentIn(gateway, id)).values()];
    expect(spent).toEqual([images(20), images(20)]);
    expect(Object.keys(answers).sort()).toEqual(['200', '402']);
    await expectLedgerAgrees(gateway);
  });
});
