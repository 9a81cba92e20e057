import type { GetUsageResponseMessage, UsageGroupMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import type { UsageResponse } from '../../wire/usage.ts';
import { type KeyName, keyName, PLAYGROUND, PLAYGROUND_KEYS } from '../keys/key-names.ts';
import { toPool } from '../pools/to-pool.ts';
import { addSums, NO_SUMS, readSums, type Sums, toUsageSums } from './usage-sums.ts';

interface WholeUsage {
  byModel: GetUsageResponseMessage;
  byKey?: GetUsageResponseMessage | undefined;
  byLabel?: GetUsageResponseMessage | undefined;
}

/**
 * Combines the reads of a period into one response.
 * @param pages buckets without groups
 * @param byModel the period as one bucket
 * @param byKey the same by key; undefined: the keys are somebody else's and not shown
 * @param byLabel the same by a label; undefined: none is chosen
 */
export function toUsageResponse(
  pages: readonly GetUsageResponseMessage[],
  { byModel, byKey, byLabel }: WholeUsage,
): UsageResponse {
  const [first] = pages;
  if (first === undefined) throw new Error('usage without a page');
  return {
    fromMs: Number(first.startTime) * 1_000,
    toMs: Number(first.endTime) * 1_000,
    totals: toUsageSums(readSums(first.totals)),
    buckets: pages
      .flatMap(({ buckets }) => buckets)
      .map(({ startTime, endTime, groups }) => {
        const { requests, cost } = total(groups);
        return {
          startMs: Number(startTime) * 1_000,
          endMs: Number(endTime) * 1_000,
          requests: Number(requests),
          costUsd: formatUsd(cost),
        };
      }),
    byModel: ranked(groupsOf(byModel), ({ model = '' }) => model).map(([model, sums]) => ({
      model,
      ...toUsageSums(sums),
    })),
    byKey: byKey === undefined ? [] : rankedKeys(groupsOf(byKey)),
    byLabel: byLabel === undefined ? [] : rankedLabels(groupsOf(byLabel)),
    pools: first.pools.map(toPool),
  };
}

function groupsOf({ buckets }: GetUsageResponseMessage): UsageGroupMessage[] {
  return buckets.flatMap(({ groups }) => groups);
}

function rankedKeys(groups: readonly UsageGroupMessage[]): UsageResponse['byKey'] {
  const names = new Map<string, KeyName>();
  const rowOf = (group: UsageGroupMessage) => {
    const name = keyName(group);
    const row = name.kind === 'playground' ? PLAYGROUND_KEYS : (group.key ?? '');
    names.set(row, name);
    return row;
  };
  return ranked(groups, rowOf).map(([keyId, sums]) => ({
    keyId,
    ...(names.get(keyId) ?? PLAYGROUND),
    ...toUsageSums(sums),
  }));
}

function rankedLabels(groups: readonly UsageGroupMessage[]): UsageResponse['byLabel'] {
  // No value is empty, so that an empty text stands for requests without.
  return ranked(groups, ({ labels }) => labels[0]?.value ?? '').map(([value, sums]) => ({
    value: value === '' ? null : value,
    ...toUsageSums(sums),
  }));
}

/** Sorts groups: the most expensive first, then those with most requests. */
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
