import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

/** Identifies a database, and says how far it has come. */
export interface EpochState {
  epoch: string;
  /** False when the database is a copy or was recovered, and no new epoch has begun for that yet. */
  isSame: boolean;
  /** How far its log has been written to disk. It only goes back when something was lost. */
  position: bigint;
  /** The revision of the keys. It only goes back when something was lost, too. */
  revision: bigint;
}

const states = z.array(
  z.object({ epoch: z.string(), isSame: z.boolean(), position: z.bigint(), revision: z.bigint() }),
);
const renewals = z.tuple([z.object({ epoch: z.string() })]);

/** Reads and writes the row of the installation. */
export class EpochStore extends PrismaStore {
  /** Notes which database this is, once: a restored database still has the entry of the original. */
  async adopt(): Promise<void> {
    await this.prisma
      .$executeRaw`UPDATE installation SET identity = database_identity() WHERE identity IS NULL`;
  }

  async read(): Promise<EpochState> {
    const [state] = states.parse(
      await this.prisma.$queryRaw`
        SELECT i.epoch, coalesce(i.identity = database_identity(), true) AS "isSame", r.value AS revision,
          (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint AS position
        FROM installation i, revisions r WHERE r.name = 'keys'`,
    );
    if (state === undefined) throw new Error('the row of the installation is missing');
    return state;
  }

  /** Begins a new epoch unless somebody else has done that since `epoch`. @returns the epoch in force */
  async renew(epoch: string): Promise<string> {
    const [renewed] = renewals.parse(await this.prisma.$queryRaw`SELECT renew_epoch(${epoch}) AS epoch`);
    return renewed.epoch;
  }
}
