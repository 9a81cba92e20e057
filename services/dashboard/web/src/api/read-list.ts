import type { RequestOf } from '../../../wire/management.ts';
import { readManagement } from './management.ts';
import type { ItemOf, ListName } from './use-management.ts';

/** Rare items need many reads. */
const MAX_READS = 200;
const PAGE_LENGTH = 200;

/** Reads the first items of a list of the management API. @param request without `limit` and `cursor` */
export async function readList<Name extends ListName>(
  operation: Name,
  request: RequestOf<Name> & { query?: object },
  maxItems: number,
): Promise<ItemOf<Name>[]> {
  const items: ItemOf<Name>[] = [];
  let cursor: string | undefined;
  for (let reads = 0; reads < MAX_READS && items.length < maxItems; reads += 1) {
    const query = { ...request.query, limit: PAGE_LENGTH, ...(cursor !== undefined && { cursor }) };
    const { body } = await readManagement(operation, { ...request, query });
    items.push(...body.data);
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  return items.slice(0, maxItems);
}
