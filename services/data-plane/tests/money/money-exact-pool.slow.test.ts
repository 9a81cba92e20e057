import {
  addPool,
  openBooks,
  postJson,
  startGateway,
  type TestGateway,
  usageOf,
} from '@model-gateway/test-kit';
import { CHARGES } from '@model-gateway/test-kit/charges';
import { describe, expect, it } from 'vitest';
import { exactPoolDrill, IMAGE_NANO_USD } from './money-exact-pool.ts';
import {
  addMonthlyPool,
  addSeat,
  createTeam,
  expectLedgerAgrees,
  payingKey,
  usd,
  warmKey,
} from './money-fixture.ts';

const PLANES = { dataPlanes: 4, controlPlanes: 2, ownPools: true };
const urlsOf = ({ dataPlanes, urlOf }: TestGateway) => dataPlanes.map((_, index) => urlOf(index));

describe('a pool under many requests at once on four data planes', () => {
  it('a pool for 20 requests serves exactly 20 of 200', async () => {
    await using gateway = await startGateway(PLANES);
    const { rawKey } = await payingKey(gateway, usd(20n * IMAGE_NANO_USD));
    const figures = await exactPoolDrill(gateway, {
      urls: urlsOf(gateway),
      rawKeys: [rawKey],
      requests: 200,
      covered: 20,
      connections: 50,
    });
    console.log(`exact pool: ${figures}`);
  });

  it('pools of two seats and their team together serve exactly 40 of 200 requests', async () => {
    await using gateway = await startGateway(PLANES);
    const teamId = await createTeam(gateway);
    const seats = [await addSeat(gateway, teamId), await addSeat(gateway, teamId)];
    // 2.5 and 4.25 images of their own, and what completes 40: some requests are paid by two pools, whoever
    // comes first.
    const own = [(IMAGE_NANO_USD * 5n) / 2n, (IMAGE_NANO_USD * 17n) / 4n];
    for (const [index, { seatId }] of seats.entries()) {
      await addPool(gateway.admin, { kind: 'seat', id: seatId }, usd(own[index] ?? 0n));
    }
    await addPool(
      gateway.admin,
      { kind: 'team', id: teamId },
      usd(IMAGE_NANO_USD * 40n - (own[0] ?? 0n) - (own[1] ?? 0n)),
    );
    await exactPoolDrill(gateway, {
      urls: urlsOf(gateway),
      rawKeys: seats.map(({ rawKey }) => rawKey),
      requests: 200,
      covered: 40,
      connections: 50,
    });
  });
});

it("a seat spends its own pools first, the soonest to reset before others, and then its team's", async () => {
  await using gateway = await startGateway({ dataPlanes: 1, ownPools: true });
  await using books = openBooks(gateway.databaseUrl);
  const teamId = await createTeam(gateway);
  const { seatId, rawKey, account } = await addSeat(gateway, teamId);
  const ofTeam = await addPool(gateway.admin, { kind: 'team', id: teamId }, '0.10');
  const forever = await addPool(gateway.admin, { kind: 'seat', id: seatId }, '0.05');
  const monthly = await addMonthlyPool(gateway, { kind: 'seat', id: seatId }, '0.05');
  // The account's own is for keys without a seat.
  const ofAccount = await addPool(gateway.admin, { kind: 'account', id: account }, '1.00');
  await warmKey(gateway.baseUrl, rawKey);
  const debits: Record<string, unknown>[][] = [];
  for (let sent = 0; sent < 5; sent++) {
    const response = await postJson(gateway.baseUrl, rawKey, 'images/generations', {
      model: 'sim/image-pro',
      prompt: 'x',
    });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    const requestId = response.headers.get('x-request-id') ?? '';
    await usageOf(books, requestId);
    debits.push(
      await books.query(
        `SELECT pool_id AS pool, amount AS paid FROM ${CHARGES} AS paid WHERE request_id = $1 ORDER BY place`,
        [requestId],
      ),
    );
  }
  const cents = (count: bigint) => count * 10_000_000n;
  expect(debits).toEqual([
    [{ pool: monthly, paid: cents(4n) }],
    [
      { pool: monthly, paid: cents(1n) },
      { pool: forever, paid: cents(3n) },
    ],
    [
      { pool: forever, paid: cents(2n) },
      { pool: ofTeam, paid: cents(2n) },
    ],
    [{ pool: ofTeam, paid: cents(4n) }],
    [{ pool: ofTeam, paid: cents(4n) }],
  ]);
  const refused = await postJson(gateway.baseUrl, rawKey, 'images/generations', {
    model: 'sim/image-pro',
    prompt: 'x',
  });
  expect(refused.status).toBe(402);
  await refused.arrayBuffer();
  await expectLedgerAgrees(gateway);
  const untouched = (await books.pools()).find(({ id }) => id === ofAccount);
  expect(untouched?.charged).toBe(0n);
});
