import calculateSlot from 'cluster-key-slot';

const SLOTS = 16_384;
const STRIPES = 128;

/**
 * Hash tags for counters. A single Redis has one counter. A cluster has one in each 128th of the slots, so
 * that every shard with 256 slots in a row holds one, wherever slots are moved.
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
