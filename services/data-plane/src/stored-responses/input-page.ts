import { isObject, type JsonObject } from '@model-gateway/dialects';
import { invalidQuery } from '@model-gateway/shared/errors';

/** A page of a response's input items, as at OpenAI. */
export interface PageQuery {
  limit: number;
  order: 'asc' | 'desc';
  /** Id of the item before the page; undefined: from the start. */
  after: string | undefined;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const WHOLE = /^\d{1,4}$/;

/** @throws GatewayError 400 */
export function parsePageQuery(query: URLSearchParams): PageQuery {
  for (const name of ['limit', 'order', 'after'])
    if (query.getAll(name).length > 1) throw invalidQuery(name, 'is given more than once');
  const limitText = query.get('limit') ?? String(DEFAULT_LIMIT);
  const limit = WHOLE.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw invalidQuery('limit', `is no whole number from 1 to ${MAX_LIMIT}`);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidQuery('order', 'is neither asc nor desc');
  return { limit, order, after: query.get('after') ?? undefined };
}

/**
 * Builds a page of a response's input items. Items without an id get one, so that the next page can follow
 * them.
 * @param input JSON of all items
 */
export function inputPage(responseId: string, input: Buffer, { after, limit, order }: PageQuery) {
  const parsed: unknown = JSON.parse(input.toString());
  const items = (Array.isArray(parsed) ? parsed.filter(isObject) : []).map((item, index) =>
    withId(item, responseId, index),
  );
  if (order === 'desc') items.reverse();
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalidQuery('after', 'is the id of none of the items');
  const data = items.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < items.length,
  };
}

function withId(item: JsonObject, responseId: string, index: number): JsonObject & { id: string } {
  const { id } = item;
  if (typeof id === 'string') return { ...item, id };
  return { ...item, id: `${item.type === 'message' ? 'msg' : 'item'}_${index}_${responseId.slice(5)}` };
}
