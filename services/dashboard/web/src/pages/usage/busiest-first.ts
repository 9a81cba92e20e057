import type { LimitsAnswer } from '../../../../wire/limits.ts';

type Key = LimitsAnswer['keys'][number];
type Limit = Key['limits'][number];

/** @returns how much of a limit is used, from 0; unknown use counts as 0 */
export function shareUsed({ limit, used }: Limit): number {
  return used === null || limit === 0 ? 0 : used / limit;
}

/**
 * Sorts keys: those closest to one of their limits come first. Keys on one seat share the limit of its team;
 * among those, the ones that use most of it come first. Otherwise the order stays.
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
