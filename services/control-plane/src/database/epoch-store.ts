import { z } from 'zod';
import { PrismaStore } from './prisma-store.ts';

export interface EpochState {
  epoch: string;
  /** False for a copy or a recovered database without a new epoch. */
  isSame: boolean;
  /** Position of the database's flushed write-ahead log; goes back only after a loss. */
  position: bigint;
  /** Revision of the keys; goes back only after a loss. */
  revision: bigint;
}

const states = z.array(
  z.object({ epoch: z.string(), isSame: z.boolean(), position: z.bigint(), revision: z.bigint() }),
);
const renewals = z.tuple([z.object({ epoch: z.string() })]);

export class EpochStore extends PrismaStore {
  async adopt(): Promise<void> {
    await this.prisma
      .$executeRaw`UPDATE installation SET identity = database_identity() WHERE identity IS NULL`;
  }

  async read(): Promise<EpochState> {
    const [state] = await this.query(states)`
      SELECT i.epoch, coalesce(i.identity = database_identity(), true) AS "isSame", r.value AS revision,
        (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint AS position
      FROM installation i, revisions r WHERE r.name = 'keys'`;
    if (state === undefined) throw new Error('the row of the installation is missing');
    return state;
  }

  /** Begins a new epoch, unless somebody did since `epoch`. @returns the epoch in force */
  async renew(epoch: string): Promise<string> {
    const [renewed] = await this.query(renewals)`SELECT renew_epoch(${epoch}) AS epoch`;
    return renewed.epoch;
  }
}
