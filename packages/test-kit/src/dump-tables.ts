import { createPrismaClient } from '@model-gateway/database';
import { z } from 'zod';

const names = z.array(z.object({ name: z.string() }));
const rows = z.array(z.object({ row: z.string() }).transform(({ row }) => row));

/** Returns every row of every table as text, to search for what must not be stored. */
export async function dumpTables(databaseUrl: string): Promise<string> {
  const tables = await readTables(databaseUrl, 't::text');
  return [...tables.values()].map((rows) => JSON.stringify(rows)).join('\n');
}

/** Tables that control planes write every few seconds. */
const WRITTEN_BY_TIME = ['event_checks', 'reported_processes'];

/** Returns every row, but of tables that change by themselves, to show that something changed nothing. */
export async function dumpLastingTables(databaseUrl: string): Promise<string> {
  const tables = await readTables(databaseUrl, 't::text');
  return [...tables]
    .filter(([name]) => !WRITTEN_BY_TIME.includes(name))
    .map(([, rows]) => JSON.stringify(rows))
    .join('\n');
}

/**
 * Reads every row of every table, to compare databases.
 * @param row SQL that makes a text of the row `t`
 * @returns the rows by the name of their table
 */
export async function readTables(
  databaseUrl: string,
  row = 'to_jsonb(t)::text',
): Promise<Map<string, string[]>> {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  try {
    const tables = names.parse(
      await prisma.$queryRaw`
        SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const read = new Map<string, string[]>();
    for (const { name } of tables) {
      read.set(name, rows.parse(await prisma.$queryRawUnsafe(`SELECT ${row} AS row FROM ${name} AS t`)));
    }
    return read;
  } finally {
    await prisma.$disconnect();
  }
}
