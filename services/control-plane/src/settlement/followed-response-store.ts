import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

/** How long a data plane that follows a response may be silent before another one may claim it. */
const CLAIM_DURATION = '30 seconds';
/** Data planes stop following a response long before. */
const RETENTION = '1 day';

/** Responses whose data plane is gone, and those that were deleted at their provider. */
export class FollowedResponseStore extends PrismaStore {
  /**
   * Claims responses that no data plane follows, oldest first, and renews the claims of `following`.
   * @returns `followed` of the newly claimed ones, at most `max`
   */
  async claim(following: readonly string[], max: number): Promise<string[]> {
    const rows = await this.query(z.array(z.object({ followed: z.string() })))`
      WITH renewed AS (
        UPDATE followed_responses SET claimed_until = now() + ${CLAIM_DURATION}::interval WHERE request_id IN (
          SELECT request_id FROM followed_responses WHERE request_id = ANY(${[...following]}::text[])
          FOR UPDATE SKIP LOCKED
        )
      )
      UPDATE followed_responses SET claimed_until = now() + ${CLAIM_DURATION}::interval WHERE request_id IN (
        SELECT f.request_id
        FROM followed_responses f, LATERAL (
          -- With a limit, Postgres looks each of them up instead of reading all usage records.
          SELECT FROM usage_records r
          WHERE r.request_id = f.request_id AND r.arrival IN ('', arrival_of(f.request_id)) AND r.is_provisional
          LIMIT 1
        ) AS provisional
        WHERE f.claimed_until <= now() AND f.request_id <> ALL(${[...following]}::text[])
        ORDER BY f.created_at LIMIT ${max} FOR UPDATE OF f SKIP LOCKED
      )
      RETURNING followed`;
    return rows.map(({ followed }) => followed);
  }

  async hasUnclaimed(): Promise<boolean> {
    const [{ found }] = await this.query(z.tuple([z.object({ found: z.boolean() })]))`
      SELECT EXISTS (SELECT FROM followed_responses WHERE claimed_until <= now()) AS found`;
    return found;
  }

  /** Stores that a response is deleted. Keeps how it had ended, if that is known. */
  async addDeleted(id: string, ended: string | undefined): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO deleted_responses AS known (id, ended) VALUES (${id}, ${ended ?? null})
      ON CONFLICT (id) DO UPDATE SET ended = coalesce(known.ended, EXCLUDED.ended)`;
  }

  /** @returns undefined if no deletion was reported */
  async findDeleted(id: string): Promise<{ ended: string | null } | undefined> {
    const [row] = await this.query(z.array(z.object({ ended: z.string().nullable() })))`
      SELECT ended FROM deleted_responses WHERE id = ${id}`;
    return row;
  }

  /** Deletes old rows, and responses without a provisional record: their final report has come. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM followed_responses WHERE request_id IN (
        SELECT f.request_id
        FROM followed_responses f LEFT JOIN LATERAL (
          SELECT true AS is_stored FROM usage_records r
          WHERE r.request_id = f.request_id AND r.arrival IN ('', arrival_of(f.request_id)) AND r.is_provisional
          LIMIT 1
        ) AS provisional ON true
        WHERE f.created_at < now() - ${RETENTION}::interval OR provisional.is_stored IS NULL
        FOR UPDATE OF f SKIP LOCKED
      )`;
    await this.prisma
      .$executeRaw`DELETE FROM deleted_responses WHERE deleted_at < now() - ${RETENTION}::interval`;
  }
}
