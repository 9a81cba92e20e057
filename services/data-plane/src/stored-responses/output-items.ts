import { isObject } from '@model-gateway/dialects';
import { isOwnId, type StoredItem } from './stored-response.ts';

/** Matches the id that starts every item written by the gateway. */
const ID_IN_FRONT = /^\{"id":"([^"]+)"/;
const MAX_ID_BYTES = 64;

/**
 * Returns the items of an output that a later request may reference.
 * @param items JSON of each, as the gateway writes it
 */
export function namedItems(items: readonly Buffer[]): StoredItem[] {
  return items.flatMap((json) => {
    const id = ID_IN_FRONT.exec(json.toString('latin1', 0, MAX_ID_BYTES))?.[1];
    return id !== undefined && isOwnId(id) ? [{ id, json }] : [];
  });
}

export function namedIds(output: Buffer): string[] {
  const items: unknown = JSON.parse(output.toString());
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) =>
    isObject(item) && typeof item.id === 'string' && isOwnId(item.id) ? [item.id] : [],
  );
}
