import { openSql } from './open-sql.ts';

/** Runs one statement past the control plane, such as one that spoils what it has stored. */
export async function runSql(
  databaseUrl: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await using sql = openSql(databaseUrl);
  await sql.run(statement, ...values);
}
