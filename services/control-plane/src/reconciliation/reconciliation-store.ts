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

export interface ReconciledDay {
  provider: string;
  day: string;
}

function idOf({ day, provider }: ReconciledDay): string {
  return `reconciliation ${provider} ${day}`;
}

/** Stores comparisons with bills, one for each provider and day, as verifications. */
export class ReconciliationStore extends PrismaStore {
  /**
   * Claims the comparison of a day. @returns its id; undefined: made already, or under way. A failed one may
   * be repeated after an hour, one of a lost control plane at once.
   * @param earlier if given, a new day is only claimed if one of these days was claimed before
   */
  async claim(
    { day, earlier, provider }: ReconciledDay & { earlier?: readonly string[] },
    controlPlaneId: string,
  ): Promise<string | undefined> {
    const id = idOf({ provider, day });
    const others = [id, ...(earlier ?? []).map((each) => idOf({ provider, day: each }))];
    const [row] = await this.query(claimed)`
      INSERT INTO verifications AS v (id, kind, control_plane_id)
      SELECT ${id}, 'reconciliation', ${controlPlaneId}
      WHERE ${earlier === undefined} OR EXISTS (SELECT FROM verifications WHERE id = ANY(${others}))
      ON CONFLICT (id) DO UPDATE
        SET started_at = now(), ended_at = NULL, control_plane_id = ${controlPlaneId}
        WHERE v.problem IS NOT NULL AND v.ended_at < now() - interval '1 hour'
          OR v.ended_at IS NULL AND v.started_at < now() - interval '20 seconds' AND NOT EXISTS (
            SELECT FROM reported_processes AS p
            WHERE p.id = v.control_plane_id AND p.reported_at > now() - interval '20 seconds'
          )
      RETURNING id`;
    return row?.id;
  }

  /** Ends a comparison, unless another control plane has claimed it meanwhile. */
  async end(
    id: string,
    controlPlaneId: string,
    { agrees, problem, result }: ReconciliationEnd,
    events: NewEvent[],
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const ended = await transaction.$executeRaw`
        UPDATE verifications SET ended_at = now(), agrees = ${agrees}, problem = ${problem},
          result = ${result === null ? null : JSON.stringify(result)}::jsonb
        WHERE id = ${id} AND control_plane_id = ${controlPlaneId} AND ended_at IS NULL`;
      if (ended > 0) await emitEvent(transaction, ...events);
    });
  }

  /** Returns those of some days whose comparison failed and was not made since. */
  async failed(days: readonly ReconciledDay[]): Promise<ReconciledDay[]> {
    const rows = await this.query(claimed)`
      SELECT id FROM verifications
      WHERE id = ANY(${days.map(idOf)}) AND agrees IS NULL AND problem IS NOT NULL`;
    const ids = new Set(rows.map(({ id }) => id));
    return days.filter((day) => ids.has(idOf(day)));
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
