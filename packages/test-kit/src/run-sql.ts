import { openSql } from './open-sql.ts';

/** Runs one statement directly in the database, such as one that damages stored data. */
export async function runSql(
  databaseUrl: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await using sql = openSql(databaseUrl);
  await sql.run(statement, ...values);
}
