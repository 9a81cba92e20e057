import type { ReceiptSummary } from '../../../../wire/management.ts';

/** Merges lists of requests, each once, newest first as the server orders them. Earlier lists win. */
export function mergeRequests(...lists: readonly (readonly ReceiptSummary[])[]): ReceiptSummary[] {
  const byId = new Map(lists.toReversed().flatMap((list) => list.map((each) => [each.id, each] as const)));
  return [...byId.values()].sort((a, b) => compare(b.ended_at, a.ended_at) || compare(b.id, a.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
