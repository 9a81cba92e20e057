import type { GetUsageRequestMessage } from '@model-gateway/contracts';
import { resolvePayer, USAGE_GROUPINGS } from '@model-gateway/shared';
import type { RoleStore } from '../access/role-store.ts';
import { omitAbsent } from '../omit-absent.ts';
import { poolMessage } from '../pools/pool-message.ts';
import type { PoolStore } from '../pools/pool-store.ts';
import { bucketPage } from './bucket-page.ts';
import { cutPage } from './cut-page.ts';
import { encodeGroupCursor } from './group-cursor.ts';
import { sumsMessage } from './units-message.ts';
import type { UsagePageStore, UsageSumRow } from './usage-page-store.ts';
import { MAX_GROUPS, parseUsageQuery, type UsageQuery } from './usage-query.ts';
import type { UsageStore } from './usage-store.ts';

export interface GetUsageContext {
  usageStore: Pick<UsageStore, 'minutesSince'>;
  usagePageStore: Pick<UsagePageStore, 'page'>;
  poolStore: Pick<PoolStore, 'ofPayer'>;
}

/**
 * Returns the usage that the key of the request may see; without a key, all usage of the owner.
 * @throws ControlPlaneError invalid_argument
 */
export async function getUsageForKey(
  context: GetUsageContext & { roleStore: Pick<RoleStore, 'developerOfKey'> },
  request: GetUsageRequestMessage,
  signal: AbortSignal,
  withCost: boolean,
) {
  const { keyId } = request;
  const memberId = keyId === undefined ? undefined : await context.roleStore.developerOfKey(keyId);
  return await getUsage(context, request, signal, { memberId, withCost });
}

/**
 * Returns one page of a period's usage, and its totals.
 * @param isNamed includes key names, which only the holder may see
 * @param memberId only usage of keys that this member made; undefined: all
 * @param withCost includes what providers charge, which only operators may see
 * @throws ControlPlaneError invalid_argument
 */
export async function getUsage(
  { usageStore, usagePageStore, poolStore }: GetUsageContext,
  request: GetUsageRequestMessage,
  signal: AbortSignal,
  {
    isNamed = false,
    memberId,
    withCost = false,
  }: { isNamed?: boolean; memberId?: string | undefined; withCost?: boolean } = {},
) {
  const query = parseUsageQuery(request, usageStore.minutesSince, memberId);
  const { period, after } = query;
  const wanted = bucketPage(period, query);
  // One bucket: the first groups only. Several: one group more, to know whether all fit.
  const limit = query.width === 0 ? query.limit : MAX_GROUPS + 1;
  const [{ totals, groups }, pools] = await Promise.all([
    usagePageStore.page(period, query, { buckets: wanted.buckets, after, limit }, signal),
    poolStore.ofPayer(resolvePayer(query.owner)),
  ]);
  const page = cutPage(wanted, groups, MAX_GROUPS);
  return {
    startTime: period.start,
    endTime: period.end,
    totals: sumsMessage(totals, withCost),
    pools: pools.map(poolMessage),
    buckets: page.buckets.map(({ start, end, groups: listed }) => ({
      startTime: start,
      endTime: end,
      groups: listed.map((group) => ({
        ...groupMessage(group, query.labels, isNamed),
        sums: sumsMessage(group, withCost),
      })),
    })),
    ...omitAbsent({
      nextPageStart: page.nextStart,
      nextPageAfter: page.nextAfter && cursorOf(page.nextAfter, query),
    }),
  };
}

function cursorOf(row: UsageSumRow, { groupBy }: UsageQuery): string {
  const named = USAGE_GROUPINGS.filter((grouping) => groupBy.has(grouping)).map(
    (grouping) => row[grouping] ?? '',
  );
  return encodeGroupCursor([...named, ...(row.labels ?? [])]);
}

function groupMessage(row: UsageSumRow, labels: readonly string[], isNamed: boolean) {
  const { model, key, capability, keyName, keyKind, keyPrefix } = row;
  return {
    ...omitAbsent({ model, key, capability }),
    labels: labels.map((label, index) => ({ label, ...omitAbsent({ value: row.labels?.[index] || null }) })),
    ...(isNamed ? omitAbsent({ keyName, keyKind, keyPrefix }) : {}),
  };
}
