import { createPrismaClient } from '@model-gateway/database';

/** Runs one statement past the control plane, such as one that spoils what it has stored. */
export async function runSql(
  databaseUrl: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  try {
    await prisma.$executeRawUnsafe(sql, ...values);
  } finally {
    await prisma.$disconnect();
  }
}
