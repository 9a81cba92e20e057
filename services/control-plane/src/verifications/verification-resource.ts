import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import { auditLogResult, ledgerResult } from './verification-result.ts';
import type { StoredVerification } from './verification-store.ts';

export const verificationResourceSchema = z.object({
  object: z.literal('verification'),
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  agrees: z.boolean().nullable().describe('Null: not known.'),
  result: z.object({ ledger: ledgerResult.optional(), audit_log: auditLogResult.optional() }).nullable(),
  problem: z.string().nullable().describe('Why it failed.'),
});

export function verificationResource(row: StoredVerification): z.input<typeof verificationResourceSchema> {
  const { agrees, endedAt, id, isLost, result, startedAt } = row;
  const problem = isLost ? 'The control plane that made it has ended. Start it again.' : row.problem;
  return {
    object: 'verification',
    id,
    state: problem !== null ? 'failed' : endedAt === null ? 'running' : 'done',
    started_at: startedAt.toISOString(),
    ended_at: optionalTimestamp(endedAt),
    agrees,
    result,
    problem,
  };
}
