import calculateSlot from 'cluster-key-slot';

const SLOTS = 16_384;
const STRIPES = 128;

/**
 * Returns hash tags for counters: one for a single Redis, and one per 128th of a cluster's slots, so that
 * every shard with 256 slots in a row has one, wherever slots move.
 */
export function counterTags(isCluster: boolean): string[] {
  if (!isCluster) return ['0'];
  const tags = new Map<number, string>();
  for (let candidate = 0; tags.size < STRIPES; candidate += 1) {
    const tag = String(candidate);
    const stripe = Math.floor((calculateSlot(tag) * STRIPES) / SLOTS);
    if (!tags.has(stripe)) tags.set(stripe, tag);
  }
  return [...tags.values()];
}
