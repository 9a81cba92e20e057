import type { LimitsResponse } from '../../../../wire/limits.ts';

type Key = LimitsResponse['keys'][number];
type Limit = Key['limits'][number];

/** Returns the used share of a limit, from 0; unknown use counts as 0. */
export function shareUsed({ limit, used }: Limit): number {
  return used === null || limit === 0 ? 0 : used / limit;
}

/**
 * Sorts keys by how close they are to one of their limits; ties in a shared team limit by their own limits.
 */
export function sortByUse(keys: readonly Key[]): Key[] {
  const ranked = keys.map((key) => {
    const shares = key.limits.map((limit) => ({ name: limit.name, share: shareUsed(limit) }));
    const max = Math.max(0, ...shares.map(({ share }) => share));
    const maxOwn = Math.max(0, ...shares.filter(({ name }) => name !== 'team').map(({ share }) => share));
    return { key, max, maxOwn };
  });
  return ranked.sort((a, b) => b.max - a.max || b.maxOwn - a.maxOwn).map(({ key }) => key);
}
