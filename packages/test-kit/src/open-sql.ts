import { createPrismaClient } from '@model-gateway/database';

export interface Sql extends AsyncDisposable {
  /** Rows of one statement; after an outage of the server the next one connects again. */
  rows(sql: string, ...values: readonly unknown[]): Promise<unknown[]>;
  /** One statement that answers nothing, or something that Prisma cannot read. */
  run(sql: string, ...values: readonly unknown[]): Promise<unknown>;
}

/** A connection past the control plane, to see what it has stored. */
export function openSql(databaseUrl: string): Sql {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 2 });
  return {
    rows: (sql, ...values) => prisma.$queryRawUnsafe(sql, ...values),
    run: (sql, ...values) => prisma.$executeRawUnsafe(sql, ...values),
    [Symbol.asyncDispose]: () => prisma.$disconnect(),
  };
}
