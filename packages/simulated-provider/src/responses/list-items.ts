import { z } from 'zod';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { InputItem } from './input-item.ts';

const page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional(),
});

/** A page of the items that a response was made from. @throws ProviderError 400 */
export function listItems(items: readonly InputItem[], query: URLSearchParams): object {
  const { after, limit, order } = parseFields(page, Object.fromEntries(query));
  const ordered = order === 'asc' ? [...items] : items.toReversed();
  const before = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && before === -1) {
    throw new ProviderError(400, `Item with id '${after}' not found.`, { param: 'after' });
  }
  const rest = ordered.slice(before + 1);
  const data = rest.slice(0, limit).map(listedItem);
  return {
    object: 'list',
    data,
    first_id: rest[0]?.id ?? null,
    last_id: rest[Math.min(limit, rest.length) - 1]?.id ?? null,
    has_more: rest.length > limit,
  };
}

function listedItem(item: InputItem): object {
  return item.type === 'message' ? { status: 'completed', ...item } : item;
}
