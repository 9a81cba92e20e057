import { createPrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** Returns every row of every table as text, to search for what must not be stored. */
export async function dumpTables(databaseUrl: string): Promise<string> {
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  try {
    const tables = z.array(z.object({ name: z.string() })).parse(
      await prisma.$queryRaw`
        SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const dumps: string[] = [];
    for (const { name } of tables) {
      dumps.push(JSON.stringify(await prisma.$queryRawUnsafe(`SELECT t::text AS row FROM ${name} AS t`)));
    }
    return dumps.join('\n');
  } finally {
    await prisma.$disconnect();
  }
}
