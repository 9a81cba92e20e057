import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { emitEvent, type NewEvent } from '../events/emit-event-store.ts';

const claimed = z.array(z.object({ id: z.string() }));

/** The last comparison with each provider's bill. */
const latest = z.array(
  z.object({
    provider: z.string(),
    agrees: z.boolean(),
    /** US dollars; null: the bill has no money. */
    differenceUsd: z.string().nullable(),
  }),
);
export type LatestReconciliation = z.infer<typeof latest>[number];

export interface ReconciliationEnd {
  /** Null: the comparison failed. */
  agrees: boolean | null;
  result: object | null;
  problem: string | null;
}

/** Stores comparisons with bills as verifications, one for each provider and day. */
export class ReconciliationStore extends PrismaStore {
  /**
   * Claims the comparison of a day, so that one control plane makes it. A failed one can be claimed again
   * after an hour, one of a lost control plane at once.
   * @returns its id; undefined: it is made or under way
   */
  async claim(providerId: string, day: string, controlPlaneId: string): Promise<string | undefined> {
    const id = `reconciliation ${providerId} ${day}`;
    const [row] = await this.query(claimed)`
      INSERT INTO verifications AS v (id, kind, control_plane_id)
      VALUES (${id}, 'reconciliation', ${controlPlaneId})
      ON CONFLICT (id) DO UPDATE
        SET started_at = now(), ended_at = NULL, problem = NULL, control_plane_id = ${controlPlaneId}
        WHERE v.problem IS NOT NULL AND v.ended_at < now() - interval '1 hour'
          OR v.ended_at IS NULL AND v.started_at < now() - interval '20 seconds' AND NOT EXISTS (
            SELECT FROM reported_processes AS p
            WHERE p.id = v.control_plane_id AND p.reported_at > now() - interval '20 seconds'
          )
      RETURNING id`;
    return row?.id;
  }

  /** Stores the result, and emits events with it. */
  async end(id: string, { agrees, problem, result }: ReconciliationEnd, events: NewEvent[]): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        UPDATE verifications SET ended_at = now(), agrees = ${agrees}, problem = ${problem},
          result = ${result === null ? null : JSON.stringify(result)}::jsonb
        WHERE id = ${id}`;
      await emitEvent(transaction, ...events);
    });
  }

  /** Returns the comparison with the latest bill of each provider. */
  async latest(): Promise<LatestReconciliation[]> {
    return await this.query(latest)`
      SELECT DISTINCT ON (provider) result->>'provider' AS provider, agrees,
        result->'money'->>'difference_usd' AS "differenceUsd"
      FROM verifications WHERE kind = 'reconciliation' AND agrees IS NOT NULL
      ORDER BY provider, result->>'from' DESC`;
  }
}
