import { z } from 'zod';
import { type ListCursor, type ListQuery, listPage, parseListQuery } from '../lists/list-page.ts';
import { timestamp } from '../timestamps.ts';
import { invalidField } from './errors/request-errors.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Query of a list: spread it into the schema of the route. */
export const listParameters = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .describe('Objects of a page, at most 200.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
};

export const externalIdParameter = {
  external_id: z.string().min(1).max(255).optional().describe('Lists only the object with this id of yours.'),
};

/** Schema of a page of a list, newest first. @param name of its component, such as `KeyList` */
export function listResponse<Item extends z.ZodType>(item: Item, name: string) {
  return pageSchema(item).meta({ id: name });
}

/** As listResponse, for a list that searches a limited number of objects in each call. */
export function searchResponse<Item extends z.ZodType>(item: Item, name: string) {
  const searched_back_to = timestamp
    .nullable()
    .describe('Time of the last object that was searched. Null: all were searched.');
  return pageSchema(item).extend({ searched_back_to }).meta({ id: name });
}

function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe('Null: this is the last page.'),
  });
}

/** @throws ManagementError 400 (cursor) */
export function listQueryOf({ cursor, limit }: { cursor?: string | undefined; limit: number }): ListQuery {
  try {
    return parseListQuery({ limit, pageToken: cursor });
  } catch {
    throw invalidField('cursor', 'must be the `next_cursor` of an earlier page');
  }
}

/** Returns a page. @param rows newest first, one more than the limit when another page follows */
export function pageOf<Row extends ListCursor, Item>(
  rows: readonly Row[],
  query: ListQuery,
  itemOf: (row: Row) => Item,
) {
  const { rows: listed, next } = listPage(rows, query);
  return pageWith(listed.map(itemOf), next.nextPageToken);
}

/** @param nextCursor undefined: this is the last page */
export function pageWith<Item>(data: Item[], nextCursor: string | undefined) {
  return {
    object: 'list' as const,
    data,
    has_more: nextCursor !== undefined,
    next_cursor: nextCursor ?? null,
  };
}

/** As pageWith, for searchResponse. @param searchedBackToMs undefined: all were searched */
export function searchedPage<Item>(
  data: Item[],
  nextCursor: string | undefined,
  searchedBackToMs: number | undefined,
) {
  const searched_back_to = searchedBackToMs === undefined ? null : new Date(searchedBackToMs).toISOString();
  return { ...pageWith(data, nextCursor), searched_back_to };
}

/** Response to a DELETE. */
export function deletedResponse<Type extends string>(object: Type) {
  return z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) });
}

export function deleted<Type extends string>(object: Type, id: string) {
  return { id, object, deleted: true as const };
}
