import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';

const dueChecks = z.array(z.object({ checkedAt: z.date() }));

export class EventCheckStore extends PrismaStore {
  /**
   * Makes a check in a transaction if none was made for this time, and no other control plane is making it.
   * What it reports is stored together with the time of the check: a killed control plane leaves the check to
   * the next one.
   * @param check gets the start of the last check, as the database counts time; may use no other connection
   */
  async makeIfDue(
    name: string,
    afterMs: number,
    check: (transaction: Transaction, since: Date) => Promise<void>,
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const [due] = await queryRows(transaction, dueChecks)`
        SELECT checked_at AS "checkedAt" FROM event_checks
        WHERE name = ${name} AND checked_at <= now() - make_interval(secs => ${afterMs / 1_000})
        FOR UPDATE SKIP LOCKED`;
      if (due === undefined) return;
      await check(transaction, due.checkedAt);
      await transaction.$executeRaw`UPDATE event_checks SET checked_at = now() WHERE name = ${name}`;
    });
  }

  /**
   * Claims a check that takes too long for a transaction.
   * @returns false if it is not due, or another control plane has claimed it
   */
  async claim(name: string, afterMs: number): Promise<boolean> {
    const claimed = await this.query(dueChecks)`
      UPDATE event_checks SET checked_at = now()
      WHERE name = ${name} AND checked_at <= now() - make_interval(secs => ${afterMs / 1_000})
      RETURNING checked_at AS "checkedAt"`;
    return claimed.length > 0;
  }
}
