import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import type { Probe } from './judge-probes.ts';

const probeRows = z.array(
  z.object({
    providerId: z.string(),
    outcome: z.enum(['ok', 'refused', 'failed']),
    failures: z.int(),
    changedAt: z.date(),
  }),
);

export class ProbeStore extends PrismaStore {
  async report(
    instanceId: string,
    probes: readonly { providerId: string; outcome: Probe['outcome'] }[],
    validMs: number,
  ): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO provider_probes AS p (provider_id, instance_id, outcome, failures, expires_at, changed_at)
      SELECT given."providerId", ${instanceId}, given.outcome, (given.outcome = 'failed')::int,
        now() + ${validMs}::int * interval '1 millisecond', now()
      FROM jsonb_to_recordset(${JSON.stringify(probes)}::jsonb) AS given ("providerId" text, outcome text)
      ON CONFLICT (provider_id, instance_id) DO UPDATE SET
        outcome = EXCLUDED.outcome,
        failures = CASE WHEN EXCLUDED.outcome = 'failed' THEN p.failures + 1 ELSE 0 END,
        expires_at = EXCLUDED.expires_at,
        changed_at = CASE WHEN EXCLUDED.outcome = p.outcome THEN p.changed_at ELSE now() END`;
  }

  async read(): Promise<Map<string, Probe[]>> {
    const rows = await this.query(probeRows)`
      SELECT provider_id AS "providerId", outcome, failures, changed_at AS "changedAt"
      FROM provider_probes WHERE expires_at > now()`;
    const byProvider = new Map<string, Probe[]>();
    for (const { providerId, ...probe } of rows) {
      byProvider.set(providerId, [...(byProvider.get(providerId) ?? []), probe]);
    }
    return byProvider;
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM provider_probes WHERE expires_at <= now()`;
  }
}
