import { z } from 'zod';
import { SCHEMA } from './schema-names.ts';

/** Maximum of resources in a response. */
export const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;

export interface Page {
  /** Resources before the page. */
  offset: number;
  count: number;
}

/** A number out of range counts as the nearest in range (RFC 7644, section 3.4.2.4). */
const wholeNumber = z.coerce.number().int().catch(Number.NaN);

/** Reads startIndex (from 1) and count. */
export function pageOf(query: { startIndex?: unknown; count?: unknown }): Page {
  const startIndex = wholeNumber.parse(query.startIndex ?? 1);
  const count = wholeNumber.parse(query.count ?? DEFAULT_COUNT);
  return {
    offset: Math.min(Math.max(startIndex || 1, 1) - 1, 1_000_000_000),
    count: Number.isNaN(count) ? DEFAULT_COUNT : Math.min(Math.max(count, 0), MAX_COUNT),
  };
}

/** Returns the body of a list. @param total all resources that match */
export function listResponse(total: number, { offset }: Pick<Page, 'offset'>, resources: readonly object[]) {
  return {
    schemas: [SCHEMA.list],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
