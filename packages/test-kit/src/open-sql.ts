import { createPrismaClient } from '@model-gateway/database';

export interface Sql extends AsyncDisposable {
  /** Returns the rows of one statement. After an outage of the server, the next call connects again. */
  rows(sql: string, ...values: readonly unknown[]): Promise<unknown[]>;
  /** Runs one statement that returns nothing, or something that Prisma cannot read. */
  run(sql: string, ...values: readonly unknown[]): Promise<unknown>;
}

/** Opens a connection to the database, to see what the control plane has stored. */
export function openSql(databaseUrl: string): Sql {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 2 });
  return {
    rows: (sql, ...values) => prisma.$queryRawUnsafe(sql, ...values),
    run: (sql, ...values) => prisma.$executeRawUnsafe(sql, ...values),
    [Symbol.asyncDispose]: () => prisma.$disconnect(),
  };
}
