import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const headRows = z.array(
  z.object({ chain: z.int(), position: z.bigint().transform(Number), hash: z.string() }),
);
export type AuditHead = z.infer<typeof headRows>[number];

export class AuditHeadsStore extends PrismaStore {
  /**
   * Returns the head of each chain; none if a control plane got them less than 50 s ago, so that only one of
   * several logs them.
   */
  async takeHeadsToLog(): Promise<AuditHead[]> {
    return await this.query(headRows)`
      WITH due AS (
        UPDATE installation SET audit_heads_logged_at = now()
        WHERE id = 1 AND coalesce(audit_heads_logged_at < now() - interval '50 seconds', true) RETURNING id
      )
      SELECT c.chain, c.position, c.hash FROM audit_chains c, due WHERE c.position > 0 ORDER BY c.chain`;
  }
}
