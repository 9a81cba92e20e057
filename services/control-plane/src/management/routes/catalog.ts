import { z } from 'zod';
import { applyCatalog } from '../../catalog/apply-catalog.ts';
import { catalogResource } from '../../catalog/catalog-change.ts';
import { catalogFileOf } from '../../catalog/catalog-file-of.ts';
import { describeEffects } from '../../catalog/describe-effects.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { missingCredentials } from '../../credentials/missing-credentials.ts';
import { affectedSchema, differenceSchema } from '../catalog-schemas.ts';
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
const plan = applied.extend({
  differences: z.array(differenceSchema),
  affected: affectedSchema.describe(
    'Who used a changed or retired model, or one at a changed or retired provider, in the last 30 days.',
  ),
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
      const catalog = await catalogStore.read();
      setEtagOf(catalogResource(catalog.revision));
      return {
        object: 'catalog' as const,
        revision: Number(catalog.revision),
        document: { ...catalogFileOf(catalog) },
      };
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/catalog/plan',
    operationId: 'planCatalog',
    summary: 'See what applying a catalog would change, and whom it affects',
    description: 'The ETag is that of the catalog in force: apply the document with it.',
    scope: 'catalog:read',
    status: 200,
    maxBodyBytes: MAX_DOCUMENT_BYTES,
    body: document,
    response: plan.meta({ id: 'CatalogPlan' }),
    async handle(context, { actor, body, setEtagOf, signal }) {
      const request = { documentJson: JSON.stringify(body), dryRun: true };
      const planned = await applyCatalog(context, actor, request);
      setEtagOf(catalogResource(planned.revision));
      const [response, { affected, differences }] = await Promise.all([
        appliedResponse(context, 'catalog.plan', planned),
        describeEffects(context, planned, signal),
      ]);
      const { accounts, keys, models, rules } = affected;
      return {
        ...response,
        differences,
        affected: {
          ...{ accounts, keys },
          models: models.map(({ modelId, ...counts }) => ({ id: modelId, ...counts })),
          rules: { count: rules.total, owners: rules.owners },
        },
      };
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
