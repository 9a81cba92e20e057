import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const revocations = z.array(
  z.object({
    revision: z.bigint(),
    keyId: z.string(),
    /** Null when the key has been deleted. */
    accountId: z.string().nullable(),
    revokedAt: z.date(),
  }),
);
export type Revocation = z.infer<typeof revocations>[number];

const positions = z.tuple([z.object({ revision: z.bigint() })]);

export class RevocationLogStore extends PrismaStore {
  /**
   * Returns the last revision at least ten minutes older than the newest; 0 when there is none. Counts from
   * the newest, because no control plane may have run since.
   */
  async revisionTenMinutesBeforeLast(): Promise<bigint> {
    const [{ revision }] = await this.query(positions)`
      SELECT coalesce(max(revision), 0)::bigint AS revision FROM key_events
      WHERE created_at <
        (SELECT created_at FROM key_events ORDER BY revision DESC LIMIT 1) - '10 minutes'::interval`;
    return revision;
  }

  /** Returns revocations after a revision, in order, without suspended keys, which may come back. */
  async revokedSince(revision: bigint): Promise<Revocation[]> {
    return await this.query(revocations)`
      SELECT e.revision, e.key_id AS "keyId", k.account_id AS "accountId", e.created_at AS "revokedAt"
      FROM key_events e LEFT JOIN api_keys k ON k.id = e.key_id
      WHERE e.revoked AND e.revision > ${revision} AND k.suspended_at IS NULL ORDER BY e.revision`;
  }
}
