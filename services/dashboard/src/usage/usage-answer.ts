import type { GetUsageResponseMessage, UsageGroupMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import type { UsageAnswer } from '../../wire/usage.ts';
import { type KeyName, PLAYGROUND_KEYS } from '../keys/key-names.ts';
import { poolAnswer } from './pool.ts';
import { addSums, NO_SUMS, readSums, type Sums, usageSums } from './usage-sums.ts';

type Named = (keyId: string) => KeyName;

/**
 * All pages of a period as one answer.
 * @param nameOf undefined: the keys are somebody else's and not shown
 */
export function usageAnswer(
  pages: readonly GetUsageResponseMessage[],
  nameOf: Named | undefined,
): UsageAnswer {
  const [first] = pages;
  if (first === undefined) throw new Error('usage without a page');
  const buckets = pages.flatMap((page) => page.buckets);
  const groups = buckets.flatMap((bucket) => bucket.groups);
  return {
    fromMs: Number(first.startTime) * 1_000,
    toMs: Number(first.endTime) * 1_000,
    totals: usageSums(readSums(first.totals)),
    buckets: buckets.map(({ startTime, endTime, groups: inBucket }) => {
      const { requests, cost } = total(inBucket);
      return {
        startMs: Number(startTime) * 1_000,
        endMs: Number(endTime) * 1_000,
        requests: Number(requests),
        costUsd: formatUsd(cost),
      };
    }),
    byModel: ranked(groups, ({ model = '' }) => model).map(([model, sums]) => ({
      model,
      ...usageSums(sums),
    })),
    byKey: nameOf === undefined ? [] : byKey(groups, nameOf),
    pools: first.pools.map(poolAnswer),
  };
}

function byKey(groups: readonly UsageGroupMessage[], nameOf: Named): UsageAnswer['byKey'] {
  const rowOf = (keyId: string) => (nameOf(keyId).kind === 'playground' ? PLAYGROUND_KEYS : keyId);
  return ranked(groups, ({ key = '' }) => rowOf(key)).map(([keyId, sums]) => ({
    keyId,
    ...nameOf(keyId),
    ...usageSums(sums),
  }));
}

/** Most expensive first, then most requests. */
function ranked(
  groups: readonly UsageGroupMessage[],
  nameOf: (group: UsageGroupMessage) => string,
): [string, Sums][] {
  return [...Map.groupBy(groups, nameOf)]
    .map(([name, members]): [string, Sums] => [name, total(members)])
    .sort(
      ([, left], [, right]) => descending(left.cost, right.cost) || descending(left.requests, right.requests),
    );
}

function total(groups: readonly UsageGroupMessage[]): Sums {
  return groups.reduce((sums, group) => addSums(sums, readSums(group.sums)), NO_SUMS);
}

function descending(left: bigint, right: bigint): number {
  return left === right ? 0 : left < right ? 1 : -1;
}
