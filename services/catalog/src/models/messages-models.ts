import type { MessagesModel, MessagesModelList, ModelObject } from '@model-gateway/shared';
import { z } from 'zod';
import { parseQuery } from './filter-models.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** Anthropic's names and bounds. */
const pageQuery = z
  .object({
    limit: z
      .string()
      .regex(/^\d{1,4}$/, 'must be a number')
      .transform(Number)
      .pipe(z.int().min(1).max(MAX_LIMIT))
      .default(DEFAULT_LIMIT),
    after_id: z.string().optional(),
    before_id: z.string().optional(),
  })
  .refine(({ after_id, before_id }) => after_id === undefined || before_id === undefined, {
    path: ['before_id'],
    message: 'cannot be combined with after_id',
  });

export type PageQuery = z.infer<typeof pageQuery>;

/** @throws GatewayError 400, which names the parameter */
export function parsePageQuery(query: unknown): PageQuery {
  return parseQuery(pageQuery, query);
}

/** @returns undefined for a model that POST /v1/messages does not serve */
export function messagesModel({ capability, created, id, name }: ModelObject): MessagesModel | undefined {
  if (capability !== 'chat') return undefined;
  return { type: 'model', id, display_name: name, created_at: new Date(created * 1_000).toISOString() };
}

/**
 * A page of the models that POST /v1/messages serves, sorted by id. An id in the query is a place in that
 * order and need not be a model: one may have left the catalog between two pages.
 * @param models sorted by id
 */
export function messagesModels(models: readonly ModelObject[], query: PageQuery): MessagesModelList {
  const { after_id: after, before_id: before, limit } = query;
  const all = models.flatMap((model) => messagesModel(model) ?? []);
  const matching = all.filter(
    ({ id }) => (after === undefined || id > after) && (before === undefined || id < before),
  );
  const data = before === undefined ? matching.slice(0, limit) : matching.slice(-limit);
  return {
    data,
    has_more: data.length < matching.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
