import { z } from 'zod';
import { catalogResource } from '../../catalog/catalog-change.ts';
import { type VersionSummary, versionActor } from '../../catalog/catalog-version-store.ts';
import { describeDifferences } from '../../catalog/describe-differences.ts';
import { optionalTimestamp, timestamp } from '../../timestamps.ts';
import { differenceSchema } from '../catalog-schemas.ts';
import { invalidField } from '../errors/request-errors.ts';
import { listParameters, listResponse, pageWith } from '../list-response.ts';
import { route } from '../route.ts';

const changed = z.object({ count: z.int(), ids: z.array(z.string()).describe('At most 100.') });
const changes = z.object({ added: changed, changed, retired: changed });
const version = z.object({
  object: z.literal('catalog.version'),
  revision: z.int(),
  applied_at: timestamp
    .nullable()
    .describe('Null, like the next members: it was in force before versions were kept.'),
  applied_by: versionActor.nullable(),
  action: z.string().nullable().describe('As in audit events, such as `catalog.applied`.'),
  changes: z.object({ providers: changes, models: changes }).nullable(),
});

const common = { method: 'GET', tag: 'Catalog', scope: 'catalog:read', isInstallationWide: true } as const;

export const catalogVersionRoutes = [
  route({
    ...common,
    path: '/admin/v1/catalog/versions',
    operationId: 'listCatalogVersions',
    summary: 'List catalogs that were in force',
    description: 'The last 200, newest first. The first is in force.',
    query: z.object(listParameters),
    response: listResponse(version.meta({ id: 'CatalogVersion' }), 'CatalogVersionList'),
    async handle({ catalogVersionStore }, { query: { cursor, limit } }) {
      const rows = await catalogVersionStore.list(
        limit + 1,
        cursor === undefined ? undefined : revisionOf(cursor),
      );
      const listed = rows.slice(0, limit);
      const last = listed.at(-1);
      const next = rows.length > limit && last !== undefined ? String(last.revision) : undefined;
      return pageWith(listed.map(versionResponse), next);
    },
  }),
  route({
    ...common,
    path: '/admin/v1/catalog/versions/:revision',
    operationId: 'getCatalogVersion',
    summary: 'Get a catalog that was in force',
    description: 'Apply its document with `POST /admin/v1/catalog/apply` to roll back to it.',
    response: version
      .extend({
        document: z.record(z.string(), z.unknown()).describe('As in the catalog file.'),
        differences: z.array(differenceSchema).describe('To the version before. Empty: that is not kept.'),
      })
      .meta({ id: 'CatalogVersionDetails' }),
    async handle({ catalogVersionStore }, { params, setEtagOf }) {
      const revision = revisionOf(params.revision);
      const [found, before] = await Promise.all([
        catalogVersionStore.require(revision),
        catalogVersionStore.findBefore(revision),
      ]);
      setEtagOf(catalogResource(revision));
      return {
        ...versionResponse(found),
        document: found.document,
        differences: before === undefined ? [] : describeDifferences(before.document, found.document),
      };
    },
  }),
];

function versionResponse({ action, actor, appliedAt, changes, revision }: VersionSummary) {
  return {
    object: 'catalog.version' as const,
    revision: Number(revision),
    applied_at: optionalTimestamp(appliedAt),
    applied_by: actor,
    action,
    changes,
  };
}

/** @throws ManagementError 400 */
function revisionOf(text: string): bigint {
  if (!/^\d{1,15}$/.test(text)) throw invalidField('revision', 'must be the revision of a catalog');
  return BigInt(text);
}
