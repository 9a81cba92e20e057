import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const since = z.iso.datetime();

const openBreaker = z.object({
  providerId: z.string(),
  /** Upstream model; empty: the breaker of the provider. */
  model: z.string(),
  /** False: it shuts out only the payers whose own requests failed. */
  shutsEveryoneOut: z.boolean(),
  since,
});
export type OpenBreaker = z.infer<typeof openBreaker>;

const refusedCredential = z.object({
  providerId: z.string(),
  /** Empty: the identity of the data plane. */
  variable: z.string(),
  /** Upstream model; empty: it is refused for every model. */
  model: z.string(),
  httpStatus: z.int().nullable(),
  /** Since the provider last accepted it. */
  refusals: z.int(),
  since,
  last: since,
});
export type RefusedCredential = z.infer<typeof refusedCredential>;

/** The last report of each data plane, with its instance. */
export interface ProviderReports {
  breakers: (OpenBreaker & { instanceId: string })[];
  refused: (RefusedCredential & { instanceId: string })[];
}

const rows = z.array(
  z.object({
    instanceId: z.string(),
    breakers: z.array(openBreaker),
    refused: z.array(refusedCredential),
  }),
);

/** Stores the last report of each data plane about breakers and credentials. */
export class ProviderReportStore extends PrismaStore {
  async report(
    instanceId: string,
    { breakers, refused }: { breakers: readonly OpenBreaker[]; refused: readonly RefusedCredential[] },
    validMs: number,
  ): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO provider_reports (instance_id, breakers, refused, expires_at)
      VALUES (${instanceId}, ${JSON.stringify(breakers)}::jsonb, ${JSON.stringify(refused)}::jsonb,
        now() + ${validMs}::int * interval '1 millisecond')
      ON CONFLICT (instance_id) DO UPDATE SET
        breakers = EXCLUDED.breakers, refused = EXCLUDED.refused, expires_at = EXCLUDED.expires_at`;
  }

  async read(): Promise<ProviderReports> {
    const found = await this.query(rows)`
      SELECT instance_id AS "instanceId", breakers, refused
      FROM provider_reports WHERE expires_at > now() ORDER BY instance_id`;
    return {
      breakers: found.flatMap(({ breakers, instanceId }) =>
        breakers.map((each) => ({ ...each, instanceId })),
      ),
      refused: found.flatMap(({ instanceId, refused }) => refused.map((each) => ({ ...each, instanceId }))),
    };
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM provider_reports WHERE expires_at <= now()`;
  }
}
