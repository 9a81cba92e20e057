import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const headRows = z.array(
  z.object({ chain: z.int(), position: z.bigint().transform(Number), hash: z.string() }),
);
export type AuditHead = z.infer<typeof headRows>[number];

export class AuditHeadsStore extends PrismaStore {
  /**
   * Returns the newest event of each chain; nothing if a control plane has done so less than 50 s ago, so
   * that of several one logs them.
   */
  async takeTurn(): Promise<AuditHead[]> {
    return await this.query(headRows)`
      WITH turn AS (
        UPDATE installation SET audit_heads_logged_at = now()
        WHERE id = 1 AND coalesce(audit_heads_logged_at < now() - interval '50 seconds', true) RETURNING id
      )
      SELECT c.chain, c.position, c.hash FROM audit_chains c, turn WHERE c.position > 0 ORDER BY c.chain`;
  }
}
