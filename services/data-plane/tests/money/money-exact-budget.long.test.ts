import { openBooks, startGateway, until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { addBudget, spentIn } from './budget-fixture.ts';
import { exactBudgetDrill } from './money-exact-budget.ts';
import { IMAGE, IMAGE_NANO_USD, runLoad } from './money-exact-pool.ts';
import { addSeat, createTeam, expectLedgerAgrees, warmKey } from './money-fixture.ts';

const REQUESTS = 10_000;
const COVERED = 1_000;
const HOUR_MS = 3_600_000;
/** From the start of the load to midnight. */
const UNTIL_MIDNIGHT_MS = 30_000;

const images = (count: number) => BigInt(count) * IMAGE_NANO_USD;

/** Two control planes, four data planes as processes, and a key on a seat with plenty of money. */
async function startPlanes(stack: AsyncDisposableStack, clockShiftMs = 0) {
  const gateway = stack.use(
    await startGateway({ dataPlanes: 0, controlPlanes: 2, provider: { keepRequests: 100_000 } }),
  );
  const books = stack.use(openBooks(gateway.databaseUrl));
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const shifted = `const now = Date.now; Date.now = () => now() + ${clockShiftMs};`;
  const urls: string[] = [];
  for (let index = 0; index < 4; index++) {
    const ordered = index % 2 === 0 ? addresses : addresses.toReversed();
    const plane = stack.use(
      await spawnDataPlane(gateway, 1_000, {
        CONTROL_PLANE_ADDRESS: ordered.join(','),
        ...(clockShiftMs === 0
          ? {}
          : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shifted)}` }),
      }),
    );
    urls.push(plane.baseUrl);
  }
  const teamId = await createTeam(gateway);
  const seat = await addSeat(gateway, teamId);
  await gateway.admin.call(10_000, 'pools', 'addPool', {
    owner: { kind: 'team', id: teamId },
    includedUsd: '1000',
    resets: 'never',
    name: 'Plenty',
  });
  return { gateway, books, urls, teamId, ...seat };
}

it.each<[string, readonly ('key' | 'seat' | 'team' | 'account' | 'end_users')[]]>([
  ['a key', ['key']],
  ['a seat', ['seat']],
  ['a team', ['team']],
  ['an account', ['account']],
  ['an end user', ['end_users']],
  ['all five levels', ['key', 'seat', 'team', 'account', 'end_users']],
])(
  'a budget of %s for 1000 requests serves exactly 1000 of 10000 at once, on four data planes',
  async (_, levels) => {
    await using stack = new AsyncDisposableStack();
    const { account, books, gateway, keyId, rawKey, seatId, teamId, urls } = await startPlanes(stack);
    const ids = { key: keyId, seat: seatId, team: teamId, account, end_users: account };
    const budgets = [];
    for (const [index, level] of levels.entries()) {
      // Only the first one is short.
      const limit = images(COVERED + 100 * index);
      const window = level === 'end_users' ? 'total/someone' : 'total';
      budgets.push({ id: await addBudget(books, `${level}:${ids[level]}`, limit), window, images: COVERED });
    }
    const figures = await exactBudgetDrill(gateway, {
      urls,
      rawKeys: [rawKey],
      requests: REQUESTS,
      covered: COVERED,
      connections: 2_500,
      headers: [{ 'x-gateway-end-user': 'someone' }],
      budgets,
    });
    console.log(`exact budget of ${levels.join(', ')}: ${figures}`);
  },
);

it('a budget for 1000 requests a day serves exactly 1000 before midnight and exactly 1000 after it', async () => {
  await using stack = new AsyncDisposableStack();
  const realMidnightMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const hour = new Date(realMidnightMs).getUTCHours();
  // Data planes need a while to start, and so does the key. Both are measured first.
  const startsAtMs = Date.now() + 60_000;
  const shiftMs = realMidnightMs - UNTIL_MIDNIGHT_MS - startsAtMs;
  const { account, books, gateway, keyId, rawKey, urls } = await startPlanes(stack, shiftMs);
  await books.query('UPDATE accounts SET timezone = $1 WHERE id = $2', [
    hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`,
    account,
  ]);
  const id = await addBudget(books, `key:${keyId}`, images(COVERED), 'day');
  for (const url of urls) await warmKey(url, rawKey);
  const served: number[] = [];
  // Long before midnight, just before it, and after it: a fast machine ends the second load before midnight.
  for (const beginsMs of [0, UNTIL_MIDNIGHT_MS - 2_000, UNTIL_MIDNIGHT_MS + 1_000]) {
    await until(() => Date.now() >= startsAtMs + beginsMs, 90_000);
    const { others, statuses } = await runLoad({
      urls,
      rawKeys: [rawKey],
      requests: REQUESTS,
      connections: 2_500,
      ...IMAGE,
    });
    expect(others.slice(0, 3)).toEqual([]);
    served.push(statuses[200] ?? 0);
  }
  console.log(`exact budget over midnight: served ${served.join(' and ')}`);
  expect([...(await spentIn(gateway, id)).values()]).toEqual([images(COVERED), images(COVERED)]);
  expect(served.reduce((sum, each) => sum + each, 0)).toBe(2 * COVERED);
  await expectLedgerAgrees(gateway);
});
