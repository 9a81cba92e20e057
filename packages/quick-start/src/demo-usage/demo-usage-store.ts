import { randomUUID } from 'node:crypto';
import { createPrismaClient, type Prisma, type PrismaClient } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import type { DemoRequest } from './demo-request.ts';

export interface DemoKey {
  id: string;
  name: string;
  lookupHash: string;
  displayPrefix: string;
  createdAt: Date;
}

export interface DemoUsage {
  accountId: string;
  keys: readonly DemoKey[];
  /** Of these keys. */
  rows: readonly DemoRow[];
}

/** A usage record as SQL function settle_usage takes it, without the allowance that pays for it. */
export interface DemoRow extends DemoRequest {
  requestId: string;
  accountId: string;
  seatId: null;
  teamId: null;
  keyId: string;
}

/** Says in every list of pools that it is no money. */
const POOL_NAME = 'Demo data: already used';
/** The dashboard marks keys of this kind. To the control plane the word says that nobody has such a key. */
const KEY_KIND = 'demo';
/** Names no data plane. */
const INSTANCE_ID = 'demo-data';
const TRANSACTION_LIMITS = { timeout: 30_000, maxWait: 10_000 };

/** Nothing connects before the first call. */
export function openDemoUsageStore(databaseUrl: string): DemoUsageStore {
  return new DemoUsageStore(createPrismaClient(databaseUrl, { maxConnections: 1 }));
}

/** Made-up usage in Postgres. */
class DemoUsageStore implements AsyncDisposable {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Stores made-up usage as if it had been settled, all of it or nothing. A pool of its own pays, so that
   * other money stays as it is.
   * @returns false when the account, which exists, has some already
   */
  async add({ accountId, keys, rows }: DemoUsage): Promise<boolean> {
    return await this.#prisma.$transaction(async (transaction) => {
      // One at a time.
      await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
      if ((await transaction.apiKey.count({ where: { accountId, kind: KEY_KIND } })) > 0) return false;
      await transaction.apiKey.createMany({
        data: keys.map((key) => ({ ...key, accountId, kind: KEY_KIND })),
      });
      const cost = rows.reduce((sum, row) => sum + BigInt(row.cost), 0n);
      const allowanceId = cost === 0n ? null : await openAllowance(transaction, accountId, cost);
      const records = JSON.stringify(rows.map((row) => ({ ...row, allowanceId })));
      await transaction.$executeRaw`SELECT settle_usage(${records}::jsonb)`;
      if (allowanceId !== null) {
        await transaction.$executeRaw`SELECT return_allowance(${allowanceId}, 0, 0, true)`;
      }
      return true;
    }, TRANSACTION_LIMITS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prisma.$disconnect();
  }
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
  const { id: poolId } = await transaction.pool.create({
    data: {
      id: newId('pool'),
      name: POOL_NAME,
      accountId,
      included: cost,
      remaining: 0n,
      held: cost,
      entries: { create: { kind: 'included', amount: cost } },
    },
  });
  const id = randomUUID();
  await transaction.allowance.create({
    data: {
      id,
      instanceId: INSTANCE_ID,
      accountId,
      granted: cost,
      parts: { create: { poolId, held: cost } },
    },
  });
  return id;
}
