import { pricing } from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { KEPT_VERSIONS } from './keep-version-store.ts';

const ids = z.object({ count: z.int(), ids: z.array(z.string()) });
const entryChanges = z.object({ added: ids, changed: ids, retired: ids });

/** The actor that applied a catalog. */
export const versionActor = z.object({
  type: z.string(),
  id: z.string().nullable(),
  email: z.string().nullable(),
});

const summary = z.object({
  revision: z.bigint(),
  action: z.string().nullable(),
  actor: versionActor.nullable(),
  changes: z.object({ providers: entryChanges, models: entryChanges }).nullable(),
  /** Null, as everything else here: it was in force before versions were kept. */
  appliedAt: z.date().nullable(),
});
export type VersionSummary = z.infer<typeof summary>;

const version = summary.extend({ document: z.record(z.string(), z.unknown()) });
export type CatalogVersion = z.infer<typeof version>;

const SUMMARY = { revision: true, action: true, actor: true, changes: true, appliedAt: true } as const;

/** Reads the catalogs that were in force. */
export class CatalogVersionStore extends PrismaStore {
  /** Lists versions, newest first. @param before undefined: from the newest on */
  async list(limit: number, before?: bigint): Promise<VersionSummary[]> {
    const rows = await this.prisma.catalogVersion.findMany({
      select: SUMMARY,
      ...(before !== undefined && { where: { revision: { lt: before } } }),
      orderBy: { revision: 'desc' },
      take: limit,
    });
    return z.array(summary).parse(rows);
  }

  /** @throws ControlPlaneError not_found */
  async require(revision: bigint): Promise<CatalogVersion> {
    const row = await this.prisma.catalogVersion.findUnique({ where: { revision } });
    if (row === null)
      throw notFound(`there is no catalog version ${revision}: the last ${KEPT_VERSIONS} are kept`);
    return version.parse(row);
  }

  /** Finds the version before this one. */
  async findBefore(revision: bigint): Promise<CatalogVersion | undefined> {
    const where = { revision: { lt: revision } };
    const row = await this.prisma.catalogVersion.findFirst({ where, orderBy: { revision: 'desc' } });
    return row === null ? undefined : version.parse(row);
  }

  /** Returns the newest price versions of a model, newest first, with the version that set each. */
  async listPrices(modelId: string, limit: number): Promise<PriceVersion[]> {
    return await this.query(priceRows)`
      SELECT p.version, p.pricing, p.created_at AS "appliedAt", v.revision, v.action, v.actor
      FROM model_prices AS p LEFT JOIN catalog_versions AS v ON v.applied_at = p.created_at
      WHERE p.model_id = ${modelId} ORDER BY p.version DESC LIMIT ${limit}`;
  }
}

const priceRows = z.array(
  z.object({
    version: z.int(),
    // Leaves out prices that only a newer release knows.
    pricing: pricing.catch({}),
    appliedAt: z.date(),
    revision: z.bigint().nullable(),
    action: summary.shape.action,
    actor: summary.shape.actor,
  }),
);
export type PriceVersion = z.infer<typeof priceRows>[number];
