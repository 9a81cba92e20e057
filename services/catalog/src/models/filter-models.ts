import { capability, type ModelObject, plainWords, tier } from '@model-gateway/shared';
import { invalidQuery } from '@model-gateway/shared/errors';
import { z } from 'zod';

/** The query of GET /v1/models. Unknown parameters are ignored. */
const modelsQuery = z.object({
  capability: capability.optional(),
  provider: z.string().optional(),
  tier: tier.optional(),
  q: z.string().optional(),
});

export type ModelsQuery = z.infer<typeof modelsQuery>;

/** @throws GatewayError 400, which names the parameter */
export function parseModelsQuery(query: unknown): ModelsQuery {
  return parseQuery(modelsQuery, query);
}

/** @throws GatewayError 400, which names the parameter */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const result = schema.safeParse(query, { error: plainWords });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalidQuery(String(issue?.path[0] ?? 'query'), `is wrong: ${issue?.message}`);
}

/**
 * Returns the models that match every part of the query. `q` is looked for in id, aliases, name and
 * description, without regard to case.
 */
export function filterModels(models: readonly ModelObject[], query: ModelsQuery): ModelObject[] {
  const text = query.q?.toLowerCase();
  return models.filter(
    (model) =>
      (query.capability === undefined || model.capability === query.capability) &&
      (query.provider === undefined || model.owned_by === query.provider) &&
      (query.tier === undefined || model.tier === query.tier) &&
      (text === undefined || searchedText(model).toLowerCase().includes(text)),
  );
}

function searchedText({ aliases = [], description, id, name }: ModelObject): string {
  return [id, ...aliases, name, description].join('\n');
}
