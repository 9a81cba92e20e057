import { randomUUID } from 'node:crypto';
import type { Prisma, PrismaClient } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { insertPool } from '../pools/pool-store.ts';
import type { UsageRow } from '../settlement/usage-row.ts';

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
  rows: readonly Omit<UsageRow, 'allowanceId'>[];
}

/** Says in every list of pools that it is no money. */
const POOL_NAME = 'Demo data: already used';
/** Names no data plane. */
const INSTANCE_ID = 'demo-data';
const TRANSACTION_LIMITS = { timeout: 30_000, maxWait: 10_000 };

/** Made-up usage in Postgres. */
export class DemoStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Stores made-up usage as if it had been settled, all of it or nothing. A pool of its own pays, so that other money
   * stays as it is.
   * @returns false when the account, which exists, has some already
   */
  async add({ accountId, keys, rows }: DemoUsage): Promise<boolean> {
    return await this.#prisma.$transaction(async (transaction) => {
      // One at a time.
      await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
      if ((await transaction.apiKey.count({ where: { accountId, kind: 'demo' } })) > 0) return false;
      await transaction.apiKey.createMany({
        data: keys.map((key) => ({ ...key, accountId, kind: 'demo' })),
      });
      const cost = rows.reduce((sum, row) => sum + BigInt(row.cost), 0n);
      const allowanceId = cost === 0n ? null : await openAllowance(transaction, accountId, cost);
      const records = JSON.stringify(rows.map((row): UsageRow => ({ ...row, allowanceId })));
      await transaction.$executeRaw`SELECT settle_usage(${records}::jsonb)`;
      if (allowanceId !== null) {
        await transaction.$executeRaw`SELECT return_allowance(${allowanceId}, 0, 0, true)`;
      }
      return true;
    }, TRANSACTION_LIMITS);
  }
}

/** A pool all of which is set aside, so that it pays for what names the allowance and for nothing else. @returns its id */
async function openAllowance(
  transaction: Prisma.TransactionClient,
  accountId: string,
  cost: bigint,
): Promise<string> {
  const owner = { scope: 'account', id: accountId } as const;
  const { id: poolId } = await insertPool(transaction, {
    id: newId('pool'),
    name: POOL_NAME,
    owner,
    included: cost,
    resets: 'never',
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
  await transaction.pool.update({ where: { id: poolId }, data: { remaining: 0n, held: cost } });
  return id;
}
