import { Prisma, type ReadingPool } from '@model-gateway/database';
import type { z } from 'zod';

/** Base of the stores that read lists, sums and exports, whose size depends on users. */
export abstract class ReadingStore {
  protected readonly reads: ReadingPool;

  constructor(reads: ReadingPool) {
    this.reads = reads;
  }

  /** Runs a query and checks its rows, as a tag: this.query(rows, signal)`SELECT …`. */
  protected query<Rows>(rows: z.ZodType<Rows>, signal: AbortSignal) {
    return async (sql: TemplateStringsArray, ...values: unknown[]): Promise<Rows> =>
      rows.parse(await this.reads.query(Prisma.sql(sql, ...values), signal));
  }
}
