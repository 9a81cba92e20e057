import { z } from 'zod';
import { applyCatalog } from '../../catalog/apply-catalog.ts';
import { catalogResource } from '../../catalog/catalog-change.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { missingCredentials } from '../../credentials/missing-credentials.ts';
import { route } from '../route.ts';

const ids = z.array(z.string());
const changes = z.object({ added: ids, changed: ids, retired: ids });
const applied = z.object({
  object: z.enum(['catalog.plan', 'catalog']),
  revision: z.int(),
  providers: changes,
  models: changes,
  missing_credentials: z
    .array(z.object({ provider: z.string(), variable: z.string() }))
    .describe('Credentials of the document that a data plane lacks.'),
});
const document = z
  .record(z.string(), z.unknown())
  .describe('A catalog: `providers` and `models`, as in the catalog file.');
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const common = { tag: 'Catalog', isInstallationWide: true } as const;

export const catalogRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/catalog',
    operationId: 'getCatalog',
    summary: 'Get the catalog in force',
    scope: 'catalog:read',
    response: z.object({ object: z.literal('catalog'), revision: z.int(), document }).meta({ id: 'Catalog' }),
    async handle({ catalogStore }, { setEtagOf }) {
      const { models, providers, revision, virtualModels } = await catalogStore.read();
      setEtagOf(catalogResource(revision));
      const entries = [...models, ...virtualModels].map((entry) =>
        Object.fromEntries(Object.entries(entry).filter(([name]) => !OWN_MEMBERS.has(name))),
      );
      return {
        object: 'catalog' as const,
        revision: Number(revision),
        document: { providers, models: entries },
      };
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/catalog/plan',
    operationId: 'planCatalog',
    summary: 'See what applying a catalog would change',
    scope: 'catalog:read',
    status: 200,
    maxBodyBytes: MAX_DOCUMENT_BYTES,
    body: document,
    response: applied.meta({ id: 'CatalogPlan' }),
    async handle(context, { actor, body }) {
      const request = { documentJson: JSON.stringify(body), dryRun: true };
      return await appliedResponse(context, 'catalog.plan', await applyCatalog(context, actor, request));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/catalog/apply',
    operationId: 'applyCatalog',
    summary: 'Replace the catalog',
    description:
      'All or nothing. Needs the ETag of the catalog that the document was made from, so that two who apply at once ' +
      'do not overwrite each other. Retires what the document does not list.',
    scope: 'catalog:write',
    ifMatch: 'needed',
    status: 200,
    maxBodyBytes: MAX_DOCUMENT_BYTES,
    body: document,
    response: applied.meta({ id: 'AppliedCatalog' }),
    async handle(context, { actor, body, setEtagOf }) {
      const request = { documentJson: JSON.stringify(body), dryRun: false };
      const result = await applyCatalog(context, actor, request);
      setEtagOf(catalogResource(result.revision));
      return await appliedResponse(context, 'catalog', result);
    },
  }),
];

/** Members of stored models that are no part of a document. */
const OWN_MEMBERS = new Set(['createdAt', 'priceVersion']);

async function appliedResponse(
  context: ControlPlaneContext,
  object: 'catalog.plan' | 'catalog',
  { document: given, models, providers, revision }: Awaited<ReturnType<typeof applyCatalog>>,
) {
  const missing = await missingCredentials(context, given);
  return {
    object,
    revision: Number(revision),
    ...{ providers, models },
    missing_credentials: missing.map(({ providerId, variable }) => ({ provider: providerId, variable })),
  };
}
