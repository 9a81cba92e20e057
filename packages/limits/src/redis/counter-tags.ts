import calculateSlot from 'cluster-key-slot';

const SLOTS = 16_384;
const STRIPES = 128;

/**
 * Hash tags for counters: one that says all for a single Redis; for a cluster one in each 128th of the
 * slots, so that every shard with a run of 256 slots holds one, wherever slots move.
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
