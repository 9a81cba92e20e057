import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';

const rolledUp = z.tuple([z.object({ settlements: z.int(), requestIds: z.array(z.string()) })]);
const outcomes = z.tuple([z.object({ isDone: z.boolean() })]);

/** Stores the events of settled requests. */
export interface SettledReports {
  /** Reports records that are being added to the sums. */
  report(transaction: Transaction, requestIds: readonly string[]): Promise<void>;
  /** Reports some records that were added to the sums at once. @returns false: none are left */
  reportLate(transaction: Transaction): Promise<boolean>;
  /** Returns true if a webhook gets each settled request. */
  isAwaited(client: Pick<Transaction, '$queryRaw'>): Promise<boolean>;
}

export class RollUpStore extends PrismaStore {
  readonly #reports: SettledReports;

  constructor(prisma: ConstructorParameters<typeof PrismaStore>[0], reports: SettledReports) {
    super(prisma);
    this.#reports = reports;
  }

  /**
   * Sums up pending settlements, oldest first, once each, and stores the events that report them.
   * @returns their number; 0 while another control plane does so
   */
  async rollUp(max: number): Promise<number> {
    return await this.prisma.$transaction(async (transaction) => {
      const [{ requestIds, settlements }] = await queryRows(transaction, rolledUp)`
        SELECT settlements, request_ids AS "requestIds" FROM roll_up_pending(${max}::int)`;
      await this.#reports.report(transaction, requestIds);
      return settlements;
    });
  }

  /** Stores events of some records that were added to the sums at once. @returns false: none are left */
  async reportLate(): Promise<boolean> {
    return await this.prisma.$transaction((transaction) => this.#reports.reportLate(transaction));
  }

  /** Returns true if a webhook gets each settled request. */
  async isAwaited(): Promise<boolean> {
    return await this.#reports.isAwaited(this.prisma);
  }

  /**
   * Adds minutes to their hours and days, once each.
   * @returns false when too few minutes are due, or another control plane is adding them
   */
  async widen(minutes: number): Promise<boolean> {
    const [{ isDone }] = await this.query(outcomes)`SELECT widen_rollups(${minutes}::int) AS "isDone"`;
    return isDone;
  }
}
