import { isObject } from '@model-gateway/dialects';
import { isOwnId, type StoredItem } from './stored-response.ts';

/** The id with which every item begins that the gateway writes. */
const ID_IN_FRONT = /^\{"id":"([^"]+)"/;
const MOST_LOOKED_AT = 64;

/**
 * The items of an output that a later request may name.
 * @param items JSON of each, as the gateway writes it
 */
export function namedItems(items: readonly Buffer[]): StoredItem[] {
  return items.flatMap((json) => {
    const id = ID_IN_FRONT.exec(json.toString('latin1', 0, MOST_LOOKED_AT))?.[1];
    return id !== undefined && isOwnId(id) ? [{ id, json }] : [];
  });
}

/** The ids of `namedItems`, of an output that was kept. */
export function namedIds(output: Buffer): string[] {
  const items: unknown = JSON.parse(output.toString());
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) =>
    isObject(item) && typeof item.id === 'string' && isOwnId(item.id) ? [item.id] : [],
  );
}
