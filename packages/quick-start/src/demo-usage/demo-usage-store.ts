import { randomUUID } from 'node:crypto';
import { createPrismaClient, type Prisma, settleRecords } from '@model-gateway/database';
import { encodeLevel, newId, resolvePayer } from '@model-gateway/shared';
import type { DemoRequest } from './demo-request.ts';

export interface DemoUsage {
  keys: readonly Omit<Prisma.ApiKeyCreateManyInput, 'accountId' | 'kind'>[];
  requests: readonly (DemoRequest & { requestId: string; keyId: string })[];
}

/** This name shows in every list of pools that the pool holds no real money. */
const POOL_NAME = 'Demo data: already used';
/** The dashboard marks keys of this kind. For the control plane, it means that nobody has the key. */
const KEY_KIND = 'demo';
/** The instance id of made-up records; no data plane has it. */
const INSTANCE_ID = 'demo-data';
const TRANSACTION_LIMITS = { timeout: 30_000, maxWait: 10_000 };

/**
 * Stores made-up usage in Postgres as if it had been settled, all of it or nothing. A pool of its own pays
 * for it, so that other money does not change.
 * @param makeUsage called only when the account has no made-up usage yet; the account must exist
 * @returns the number of requests; 0 when it already has some
 */
export async function storeDemoUsage(
  databaseUrl: string,
  accountId: string,
  makeUsage: () => DemoUsage,
): Promise<number> {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  await using _open = { [Symbol.asyncDispose]: () => prisma.$disconnect() };
  return await prisma.$transaction(async (transaction) => {
    // The lock makes these calls run one at a time.
    await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    if ((await transaction.apiKey.count({ where: { accountId, kind: KEY_KIND } })) > 0) return 0;
    const { keys, requests } = makeUsage();
    if (requests.length === 0) return 0;
    await transaction.apiKey.createMany({ data: keys.map((key) => ({ ...key, accountId, kind: KEY_KIND })) });
    const months = [...Map.groupBy(requests, ({ endedAt }) => endedAt.slice(0, 7))].toSorted(([a], [b]) =>
      a.localeCompare(b),
    );
    const cost = requests.reduce((sum, request) => sum + BigInt(request.cost), 0n);
    const start = new Date(`${months[0]?.[0]}-01`);
    const allowanceId = cost === 0n ? null : await openAllowance(transaction, accountId, cost, start);
    const paid = { accountId, payer: resolvePayer({ accountId }), allowanceId };
    for (const [, ofMonth] of months) {
      await settleRecords(
        transaction,
        ofMonth.map((request) => ({ ...request, ...paid })),
      );
      await dateCharges(transaction, allowanceId, lastEnd(ofMonth));
    }
    if (allowanceId !== null) {
      await transaction.$executeRaw`SELECT return_allowance(${allowanceId}, 0, 0, true)`;
    }
    return requests.length;
  }, TRANSACTION_LIMITS);
}

/**
 * Makes a pool whose whole money is set aside for one allowance, so that it pays for requests of that
 * allowance and for nothing else.
 * @returns the id of the allowance
 */
async function openAllowance(
  transaction: Prisma.TransactionClient,
  accountId: string,
  cost: bigint,
  createdAt: Date,
): Promise<string> {
  const owner = encodeLevel({ kind: 'account', id: accountId });
  const entries = { create: { kind: 'included', amount: cost, createdAt } };
  const { id: poolId } = await transaction.pool.create({
    data: {
      id: newId('pool'),
      name: POOL_NAME,
      owner,
      included: cost,
      remaining: 0n,
      held: cost,
      createdAt,
      entries,
    },
  });
  const parts = { create: { poolId, held: cost } };
  const { id } = await transaction.allowance.create({
    data: { id: randomUUID(), instanceId: INSTANCE_ID, payer: [owner], granted: cost, parts },
  });
  return id;
}

/** Gives the charges of a month their time, so that they are on its statement. */
async function dateCharges(
  transaction: Prisma.TransactionClient,
  allowanceId: string | null,
  endedAt: Date,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE ledger_entries SET created_at = ${endedAt}
    WHERE kind = 'charge' AND created_at > ${endedAt}
      AND pool_id IN (SELECT pool_id FROM allowance_parts WHERE allowance_id = ${allowanceId})`;
}

function lastEnd(requests: readonly Pick<DemoRequest, 'endedAt'>[]): Date {
  return new Date(Math.max(...requests.map(({ endedAt }) => Date.parse(endedAt))));
}
