import type { VerifyLedgerResponseMessage } from '@model-gateway/contracts';
import type { PayerLevel } from '@model-gateway/shared';
import { addPool, type Books, openBooks, postJson, type TestGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';

export const NANO_PER_USD = 1_000_000_000n;
const CALL_MS = 30_000;

/** Converts nano-USD to decimal US dollars. */
export function usd(nanoUsd: bigint): string {
  return `${nanoUsd / NANO_PER_USD}.${String(nanoUsd % NANO_PER_USD).padStart(9, '0')}`;
}

/** Converts decimal US dollars to nano-USD. */
export function nano(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole) * NANO_PER_USD + BigInt(decimals.padEnd(9, '0'));
}

/** Creates a key of a new account, with a pool for each amount. */
export async function payingKey(gateway: TestGateway, ...amountsUsd: string[]) {
  const account = await gateway.createAccount();
  const pools: string[] = [];
  for (const amount of amountsUsd)
    pools.push(await addPool(gateway.admin, { kind: 'account', id: account }, amount));
  const { id, rawKey } = await gateway.createKey(account);
  return { account, keyId: id, rawKey, pools };
}

export async function createTeam(
  gateway: TestGateway,
  limits: { requestsPerMinute?: number } = { requestsPerMinute: 1_000_000 },
): Promise<string> {
  const account = await gateway.createAccount();
  return (await gateway.admin.callOnce(CALL_MS, 'teams', 'createTeam', { account, name: 'team', ...limits }))
    .id;
}

/** Adds a new account to the team as a seat, and creates a key on it. */
export async function addSeat(gateway: TestGateway, teamId: string) {
  const account = await gateway.createAccount();
  const seat = await gateway.admin.callOnce(CALL_MS, 'teams', 'addSeat', { teamId, account });
  const { key, rawKey } = await gateway.admin.callOnce(CALL_MS, 'accounts', 'createKey', {
    account,
    name: 'on a seat',
    seatId: seat.id,
  });
  return { account, seatId: seat.id, keyId: key?.id ?? '', rawKey };
}

/** Gives a payer a pool that resets every month. @returns its id */
export async function addMonthlyPool(gateway: TestGateway, owner: PayerLevel, includedUsd: string) {
  const pool = await gateway.admin.callOnce(CALL_MS, 'pools', 'addPool', {
    owner,
    includedUsd,
    resets: 'monthly',
    name: 'Monthly',
  });
  return pool.id;
}

export function verifyLedger(gateway: TestGateway): Promise<VerifyLedgerResponseMessage> {
  return gateway.admin.call(30_000, 'pools', 'verifyLedger', {});
}

/** Uses a key on a data plane, free of charge, so that what follows is about money and not about look-ups. */
export async function warmKey(baseUrl: string, rawKey: string): Promise<void> {
  await until(async () => {
    const response = await postJson(baseUrl, rawKey, 'embeddings', { model: 'sim/embed-free', input: 'hi' });
    await response.arrayBuffer();
    return response.status === 200;
  });
}

/**
 * Waits until no money is reserved and every ended request is stored. Then pools, usage records and the
 * ledger must agree.
 */
export async function expectLedgerAgrees(gateway: TestGateway, timeoutMs = 20_000): Promise<void> {
  await using books = openBooks(gateway.databaseUrl);
  await until(async () => (await books.pools()).every(({ held }) => held === 0n), timeoutMs).catch(
    () => undefined,
  );
  for (const pool of await books.pools()) {
    expectConsistent(pool);
    expect(pool.held, pool.id).toBe(0n);
    expect(pool.ledger, pool.id).toBe(pool.remaining);
  }
  const [charged] = await books.query(
    `SELECT (SELECT coalesce(sum(charged), 0)::bigint FROM usage_records) AS usage,
       (SELECT coalesce(sum(charged), 0)::bigint FROM pools) AS pools`,
  );
  expect(charged?.usage).toBe(charged?.pools);
  // Also the sums of what was settled last.
  await books.query('SELECT roll_up_settlements(1000000)');
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
}

/** Expects what is true of a pool at every moment. */
export function expectConsistent(pool: Awaited<ReturnType<Books['pools']>>[number]): void {
  const { id, included, remaining, held, charged, ledger, inAllowances } = pool;
  expect(remaining + held + charged, id).toBe(included);
  expect(remaining < 0n || held < 0n || charged < 0n, `${id} is negative`).toBe(false);
  expect(ledger, `${id} and its ledger`).toBe(remaining + held);
  expect(inAllowances, `${id} and its allowances`).toBe(held);
}
