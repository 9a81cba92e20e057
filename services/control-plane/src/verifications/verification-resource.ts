import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredVerification } from './verification-store.ts';

const count = z.int().min(0);

const ledger = z.object({
  pools: count,
  usage_records: count,
  ledger_entries: count,
  disagreements: z
    .array(z.object({ kind: z.string(), id: z.string(), problem: z.string() }))
    .describe('At most 1,000.'),
});

const auditLog = z.object({
  events: count,
  broken: z
    .object({ chain: count, position: count, id: z.string().nullable(), problem: z.string() })
    .nullable()
    .describe('First broken event. Null: the log is intact.'),
});

/** What a check found, in the member of its kind. */
export const verificationResult = z.union([z.object({ ledger }), z.object({ audit_log: auditLog })]);
export type VerificationResult = z.infer<typeof verificationResult>;

export const verificationResourceSchema = z.object({
  object: z.literal('verification'),
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  agrees: z.boolean().nullable().describe('Null: not known.'),
  result: z.object({ ledger: ledger.optional(), audit_log: auditLog.optional() }).nullable(),
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
