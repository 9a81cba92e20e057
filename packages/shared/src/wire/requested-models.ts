import { z } from 'zod';

/** The field of a chat that names several models, in the order in which they are tried (OpenRouter's). */
export const CALLERS_MODELS = 'models';

/** Bounds how many providers one request can reach. */
const MAX_MODELS = 8;

const name = z.string().min(1);

/** The members of a chat that name its models: one of the two is required. */
export const requestedModels = {
  model: name.optional(),
  models: z
    .array(name)
    .max(MAX_MODELS)
    .nullish()
    .describe(
      'Fallbacks, tried in this order after `model` until one responds. They are not sent to providers.',
    ),
};

interface ModelMembers {
  model?: string | undefined;
  models?: readonly string[] | null | undefined;
}

/** Refuses a chat that names no model. */
export function requireModel({ issues, value }: z.core.ParsePayload<ModelMembers>): void {
  if (value.model !== undefined || value.models?.length) return;
  issues.push({ code: 'custom', path: ['model'], input: undefined, message: 'is required' });
}

/**
 * Returns the first model, and all named models once; undefined without a list: the catalog's fallbacks
 * apply.
 */
export function modelsNamed({ model, models }: ModelMembers): {
  model: string;
  models: readonly string[] | undefined;
} {
  if (!models?.length) return { model: model ?? '', models: undefined };
  const named = [...new Set(model === undefined ? models : [model, ...models])];
  return { model: named[0] ?? '', models: named };
}
