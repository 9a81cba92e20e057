import { Prisma } from '@model-gateway/database';

/** Matches texts that begin with another one, whatever the case, by an index of text_pattern_ops. */
export function beginsWith(column: string, text: string): Prisma.Sql {
  const lower = Prisma.raw(`lower(${column})`);
  // A prepared LIKE uses no index: when Postgres plans it, it does not know the pattern.
  return Prisma.sql`(${lower} ~>=~ lower(${text}) AND ${lower} ~<=~ (lower(${text}) || chr(1114111)))`;
}
