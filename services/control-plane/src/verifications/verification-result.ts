import { z } from 'zod';

const count = z.int().min(0);

export const ledgerResult = z.object({
  pools: count,
  usage_records: count,
  ledger_entries: count,
  disagreements: z
    .array(z.object({ kind: z.string(), id: z.string(), problem: z.string() }))
    .describe('At most 1,000.'),
});

export const auditLogResult = z.object({
  events: count,
  broken: z
    .object({ chain: count, position: count, id: z.string().nullable(), problem: z.string() })
    .nullable()
    .describe('First broken event. Null: the log is intact.'),
});

/** Result of a check, in the member of its kind. */
export const verificationResult = z.union([
  z.object({ ledger: ledgerResult }),
  z.object({ audit_log: auditLogResult }),
]);
export type VerificationResult = z.infer<typeof verificationResult>;
