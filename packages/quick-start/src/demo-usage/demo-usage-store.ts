import { randomUUID } from 'node:crypto';
import { createPrismaClient, type Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import type { DemoRequest } from './demo-request.ts';

export interface DemoUsage {
  accountId: string;
  keys: readonly Omit<Prisma.ApiKeyCreateManyInput, 'accountId' | 'kind'>[];
  /** What was requested with these keys. */
  requests: readonly (DemoRequest & { requestId: string; keyId: string })[];
}

/** Says in every list of pools that it is no money. */
const POOL_NAME = 'Demo data: already used';
/** The dashboard marks keys of this kind. To the control plane the word says that nobody has such a key. */
const KEY_KIND = 'demo';
/** Names no data plane. */
const INSTANCE_ID = 'demo-data';
const TRANSACTION_LIMITS = { timeout: 30_000, maxWait: 10_000 };

/**
 * Stores made-up usage in Postgres as if it had been settled, all of it or nothing. A pool of its own pays,
 * so that other money stays as it is.
 * @returns false when the account, which exists, has some already
 */
export async function storeDemoUsage(
  databaseUrl: string,
  { accountId, keys, requests }: DemoUsage,
): Promise<boolean> {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  await using _open = { [Symbol.asyncDispose]: () => prisma.$disconnect() };
  return await prisma.$transaction(async (transaction) => {
    // One at a time.
    await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    if ((await transaction.apiKey.count({ where: { accountId, kind: KEY_KIND } })) > 0) return false;
    await transaction.apiKey.createMany({ data: keys.map((key) => ({ ...key, accountId, kind: KEY_KIND })) });
    const cost = requests.reduce((sum, request) => sum + BigInt(request.cost), 0n);
    const allowanceId = cost === 0n ? null : await openAllowance(transaction, accountId, cost);
    const payer = { accountId, seatId: null, teamId: null, allowanceId };
    const records = JSON.stringify(requests.map((request) => ({ ...request, ...payer })));
    await transaction.$executeRaw`SELECT settle_usage(${records}::jsonb)`;
    if (allowanceId !== null) {
      await transaction.$executeRaw`SELECT return_allowance(${allowanceId}, 0, 0, true)`;
    }
    return true;
  }, TRANSACTION_LIMITS);
}

/**
 * Makes a pool all of which is set aside, so that it pays for what names the allowance and for nothing else.
 * @returns the id of the allowance
 */
async function openAllowance(
  transaction: Prisma.TransactionClient,
  accountId: string,
  cost: bigint,
): Promise<string> {
  const entries = { create: { kind: 'included', amount: cost } };
  const { id: poolId } = await transaction.pool.create({
    data: {
      id: newId('pool'),
      name: POOL_NAME,
      accountId,
      included: cost,
      remaining: 0n,
      held: cost,
      entries,
    },
  });
  const parts = { create: { poolId, held: cost } };
  const { id } = await transaction.allowance.create({
    data: { id: randomUUID(), instanceId: INSTANCE_ID, accountId, granted: cost, parts },
  });
  return id;
}
