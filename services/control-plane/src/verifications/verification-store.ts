import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { type VerificationResult, verificationResult } from './verification-result.ts';

const KEPT_FOR = '90 days';
/** Results of a kind that are listed. */
const MAX_LISTED = 20;

export type VerificationKind = 'ledger' | 'audit_log';

const verification = z.object({
  id: z.string(),
  startedAt: z.date(),
  endedAt: z.date().nullable(),
  agrees: z.boolean().nullable(),
  result: verificationResult.nullable(),
  problem: z.string().nullable(),
  /** True if the control plane that made it is gone. */
  isLost: z.boolean(),
});
export type StoredVerification = z.infer<typeof verification>;

export interface VerificationEnd {
  agrees: boolean | null;
  result: VerificationResult | null;
  problem: string | null;
}

/** Stores checks of the ledger and of the audit log. They change nothing that somebody owns. */
export class VerificationStore extends PrismaStore {
  /** Starts a check, unless one of its kind is under way. */
  async start(row: {
    id: string;
    kind: VerificationKind;
    controlPlaneId: string;
  }): Promise<StoredVerification> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('verification of ' || ${row.kind}))`;
      const listed = await listNewest(transaction, row.kind);
      const running = listed.find(({ endedAt, isLost }) => endedAt === null && !isLost);
      if (running !== undefined) return running;
      const { endedAt, startedAt } = await transaction.verification.create({ data: row });
      return { id: row.id, startedAt, endedAt, agrees: null, result: null, problem: null, isLost: false };
    });
  }

  async end(id: string, { agrees, result, problem }: VerificationEnd): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE verifications SET ended_at = now(), agrees = ${agrees}, problem = ${problem},
        result = ${result === null ? null : JSON.stringify(result)}::jsonb
      WHERE id = ${id}`;
  }

  /** Lists the last 20, newest first. */
  async list(kind: VerificationKind): Promise<StoredVerification[]> {
    return await listNewest(this.prisma, kind);
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM verifications WHERE started_at < now() - ${KEPT_FOR}::interval`;
  }
}

async function listNewest(
  client: Pick<Transaction, '$queryRaw'>,
  kind: VerificationKind,
): Promise<StoredVerification[]> {
  return await queryRows(client, z.array(verification))`
    SELECT v.id, v.started_at AS "startedAt", v.ended_at AS "endedAt", v.agrees, v.result, v.problem,
      v.ended_at IS NULL AND v.started_at < now() - interval '20 seconds' AND NOT EXISTS (
        SELECT FROM reported_processes AS p
        WHERE p.id = v.control_plane_id AND p.reported_at > now() - interval '20 seconds'
      ) AS "isLost"
    FROM verifications AS v WHERE v.kind = ${kind}
    ORDER BY v.started_at DESC, v.id DESC LIMIT ${MAX_LISTED}`;
}
