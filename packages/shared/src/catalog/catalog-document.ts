import { z } from 'zod';
import type { Capability } from './capability.ts';
import { joinCredentials } from './credential-names.ts';
import { guardrailEntry } from './guardrail-entry.ts';
import { servedModel, virtualModel } from './model-entry.ts';
import { type NamedModel, nameProblems } from './model-names.ts';
import { providerEntry } from './provider-entry.ts';
import { DEFAULT_APIS, KIND_CAPABILITIES } from './provider-kinds.ts';

/**
 * Returns the schema of the catalog file (docs/catalog-file.md).
 * @param others models that stay in force beside the file: names and references are checked among all
 */
export function catalogDocumentBeside(others: readonly NamedModel[]) {
  return z
    .strictObject({
      providers: z.array(providerEntry).describe('Model providers.'),
      models: z
        .array(z.discriminatedUnion('kind', [servedModel, virtualModel], { error: kindProblem }))
        .describe('Models that callers can use.'),
      guardrails: z
        .array(guardrailEntry)
        .max(100)
        .optional()
        .describe('Checks of chats before the provider and before the caller ([guardrails](guardrails.md)).'),
    })
    .check((context) => {
      const { guardrails = [], providers, models } = context.value;
      const report = (path: PropertyKey[], message: string) =>
        context.issues.push({ code: 'custom', path, input: context.value, message });
      for (const [index, id] of duplicates(providers.map((entry) => entry.id))) {
        report(['providers', index, 'id'], `provider "${id}" is listed twice`);
      }
      for (const [index, id] of duplicates(models.map((entry) => entry.id))) {
        report(['models', index, 'id'], `model "${id}" is listed twice`);
      }
      for (const [index, id] of duplicates(guardrails.map((entry) => entry.id))) {
        report(['guardrails', index, 'id'], `guardrail "${id}" is listed twice`);
      }
      const guardrailIds = new Set(guardrails.map(({ id }) => id));
      const listed = new Map(providers.map((entry) => [entry.id, entry]));
      for (const [index, entry] of models.entries()) {
        if (isVirtual(entry)) continue;
        for (const [position, id] of (entry.guardrails ?? []).entries())
          if (!guardrailIds.has(id))
            report(['models', index, 'guardrails', position], `no guardrail "${id}" in this file`);
        for (const [position, upstream] of entry.upstreams.entries()) {
          const at = ['models', index, 'upstreams', position];
          const provider = listed.get(upstream.provider);
          if (provider === undefined) {
            report([...at, 'provider'], `no provider "${upstream.provider}" in this file`);
            continue;
          }
          const { kind } = provider;
          const capabilities = KIND_CAPABILITIES[kind];
          if (!capabilities.includes(entry.capability)) {
            const problem = `a provider of the kind "${kind}" has no ${entry.capability}, only ${capabilities.join(', ')}`;
            report([...at, 'provider'], problem);
          }
          for (const [member, problem] of apiProblems(upstream, provider, entry.capability))
            report([...at, member], problem);
        }
      }
      for (const { index, path, message } of nameProblems([...models, ...others])) {
        const other = others[index - models.length];
        if (other === undefined) report(['models', index, ...path], message);
        else report(['models'], `conflict with "${other.id}" of the catalog: ${message}`);
      }
    })
    .transform(({ guardrails = [], models, providers }) => ({
      providers,
      ...(guardrails.length === 0 ? {} : { guardrails }),
      models: models.flatMap((entry) => (isVirtual(entry) ? [] : [entry])),
      virtualModels: models.filter(isVirtual),
    }));
}

export const catalogDocument = catalogDocumentBeside([]);

/** Models and virtual models are one list in the file, and two of them here. */
export type CatalogDocument = z.infer<typeof catalogDocument>;
/** The form of the file before defaults are filled in. */
export type CatalogDocumentInput = z.input<typeof catalogDocument>;
/** A file without virtual models, before defaults are filled in. */
export type PlainCatalogInput = Omit<CatalogDocumentInput, 'models'> & {
  models: z.input<typeof servedModel>[];
};
export type CatalogProvider = CatalogDocument['providers'][number];
export type CatalogModel = CatalogDocument['models'][number];
export type CatalogVirtualModel = CatalogDocument['virtualModels'][number];

/** Converts a parsed catalog back to the content of a file. */
export function fileOfDocument({
  guardrails,
  models,
  providers,
  virtualModels,
}: CatalogDocument): CatalogDocumentInput {
  return {
    providers: providers.map(({ credential_weights: _, ...provider }, index) => ({
      ...provider,
      ...joinCredentials(providers[index] ?? {}),
    })),
    models: [...models, ...virtualModels],
    ...(guardrails === undefined ? {} : { guardrails }),
  };
}

function isVirtual(
  entry: z.infer<typeof servedModel | typeof virtualModel>,
): entry is z.infer<typeof virtualModel> {
  return 'models' in entry;
}

/** Finds APIs that a model cannot have at a provider. */
function* apiProblems(
  { apis, prefer }: CatalogModel['upstreams'][number],
  provider: CatalogProvider,
  ofModel: Capability,
): Generator<[member: 'apis' | 'prefer', problem: string]> {
  const { kind } = provider;
  const isNamed = { apis: apis !== undefined, prefer: prefer !== undefined };
  const wrong =
    (ofModel !== 'chat' && 'only a chat model has chat APIs') ||
    (DEFAULT_APIS[kind] === undefined && `a provider of the kind "${kind}" has one API only`);
  if (wrong) {
    if (isNamed.apis) yield ['apis', wrong];
    if (isNamed.prefer) yield ['prefer', wrong];
    return;
  }
  const those = apis ?? provider.apis ?? DEFAULT_APIS[kind] ?? [];
  if (prefer !== undefined && !those.includes(prefer))
    yield ['prefer', `the model has no "${prefer}" there, only ${those.join(', ')}`];
}

/** Returns the message for an unknown kind of model. */
function kindProblem({ code }: { code: string }): string | undefined {
  return code === 'invalid_union' ? 'must be "virtual", or left out' : undefined;
}

function duplicates(ids: string[]): [index: number, id: string][] {
  return [...ids.entries()].filter(([index, id]) => ids.indexOf(id) !== index);
}
