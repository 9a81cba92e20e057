import type { Prisma } from '@model-gateway/database';
import type { EventActor } from '../audit/append-event-store.ts';
import type { Transaction } from '../database/prisma-store.ts';

/** Older catalogs are deleted. */
export const KEPT_VERSIONS = 200;

export interface NewVersion {
  revision: bigint;
  /** Content of a catalog file. */
  document: object;
  /** Undefined: it was in force before versions were kept. */
  change?: {
    action: string;
    actor: EventActor;
    changes: object;
    /** Also the time of its price versions. */
    at: Date;
  };
}

/** Keeps a catalog that comes into force, and deletes the oldest of too many. */
export async function keepVersion(transaction: Transaction, version: NewVersion): Promise<void> {
  const { change, revision } = version;
  const columns = {
    document: json(version.document),
    ...(change !== undefined && {
      action: change.action,
      actor: json(change.actor),
      changes: json(change.changes),
      appliedAt: change.at,
    }),
  };
  await transaction.catalogVersion.upsert({
    where: { revision },
    create: { revision, ...columns },
    update: columns,
  });
  await transaction.$executeRaw`
    DELETE FROM catalog_versions WHERE revision < (
      SELECT min(revision) FROM (
        SELECT revision FROM catalog_versions ORDER BY revision DESC LIMIT ${KEPT_VERSIONS}
      ) AS newest
    )`;
}

/** Returns true if no version was kept so far. */
export async function hasNoVersion(transaction: Transaction): Promise<boolean> {
  return (await transaction.catalogVersion.findFirst({ select: { revision: true } })) === null;
}

function json(value: object): Prisma.InputJsonObject {
  return JSON.parse(JSON.stringify(value));
}
