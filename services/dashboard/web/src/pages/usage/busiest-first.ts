import type { LimitsAnswer } from '../../../../wire/limits.ts';

type Key = LimitsAnswer['keys'][number];
type Limit = Key['limits'][number];

/** @returns how much of a limit is used, from 0; what is not known counts as nothing */
export function shareUsed({ limit, used }: Limit): number {
  return used === null || limit === 0 ? 0 : used / limit;
}

/**
 * The keys that come closest to one of their limits first. Keys on one seat share the limit of its team, so among those
 * the ones that fill it come first; otherwise they stay in the order in which they came.
 */
export function busiestFirst(keys: readonly Key[]): Key[] {
  const ranked = keys.map((key) => {
    const shares = key.limits.map((limit) => ({ name: limit.name, share: shareUsed(limit) }));
    const most = Math.max(0, ...shares.map(({ share }) => share));
    const own = Math.max(0, ...shares.filter(({ name }) => name !== 'team').map(({ share }) => share));
    return { key, most, own };
  });
  return ranked.sort((a, b) => b.most - a.most || b.own - a.own).map(({ key }) => key);
}
