import type { Prisma, PrismaClient } from '@model-gateway/database';
import type { z } from 'zod';

export type Transaction = Prisma.TransactionClient;

/** Base of the stores that write, and of those whose reads are part of a request. */
export abstract class PrismaStore {
  protected readonly prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.prisma = prisma;
  }

  protected query<Rows>(rows: z.ZodType<Rows>) {
    return queryRows(this.prisma, rows);
  }
}

/** Runs a query and checks its rows, as a tag: queryRows(transaction, rows)`SELECT …`. */
export function queryRows<Rows>(client: Pick<PrismaClient, '$queryRaw'>, rows: z.ZodType<Rows>) {
  return async (sql: TemplateStringsArray, ...values: unknown[]): Promise<Rows> =>
    rows.parse(await client.$queryRaw(sql, ...values));
}
