import {
  type GetUsageResponseMessage,
  leftInPool,
  type PoolMessage,
  type UsageGroupMessage,
  type UsageSumsMessage,
  unitsAnswer,
} from '@model-gateway/contracts';
import { capability, formatUsd, TAG_LABEL, type UsageSummary, usageScope } from '@model-gateway/shared';
import { encodePage } from './page-token.ts';

/** Converts the control plane's usage to that of docs/endpoints.md, "GET /v1/usage". */
export function summaryAnswer(
  { startTime, endTime, totals, pools, buckets, nextPageStart, nextPageAfter }: GetUsageResponseMessage,
  limits: UsageSummary['limits'],
): UsageSummary {
  const period = { startTime: Number(startTime), endTime: Number(endTime) };
  return {
    object: 'usage.summary',
    period: { start_time: period.startTime, end_time: period.endTime },
    totals: sumsAnswer(totals),
    pools: pools.map(poolAnswer),
    limits,
    data: buckets.map((bucket) => ({
      object: 'bucket',
      start_time: Number(bucket.startTime),
      end_time: Number(bucket.endTime),
      results: bucket.groups.map(groupAnswer),
    })),
    has_more: nextPageStart !== undefined,
    next_page:
      nextPageStart === undefined
        ? null
        : encodePage({ ...period, pageStart: Number(nextPageStart), pageAfter: nextPageAfter }),
  };
}

function poolAnswer(pool: PoolMessage): UsageSummary['pools'][number] {
  const left = leftInPool(pool);
  return {
    id: pool.id,
    name: pool.name,
    scope: usageScope.parse(pool.scope),
    unlimited: pool.unlimited,
    included_usd: left === null ? null : formatUsd(BigInt(pool.included)),
    used_usd: formatUsd(BigInt(pool.charged)),
    left_usd: left === null ? null : formatUsd(left),
    held_usd: formatUsd(BigInt(pool.held)),
    remaining_usd: left === null ? null : formatUsd(BigInt(pool.remaining)),
    resets_at: pool.resetsAt === undefined ? null : Number(pool.resetsAt),
    expires_at: pool.expiresAt === undefined ? null : Number(pool.expiresAt),
  };
}

function groupAnswer(group: UsageGroupMessage): UsageSummary['data'][number]['results'][number] {
  return {
    ...(group.model === undefined ? {} : { model: group.model }),
    ...(group.key === undefined ? {} : { key: group.key }),
    ...(group.capability === undefined ? {} : { capability: capability.parse(group.capability) }),
    ...labelsAnswer(group),
    ...sumsAnswer(group.sums),
  };
}

function labelsAnswer({ labels }: UsageGroupMessage) {
  const values = new Map(labels.map(({ label, value = null }) => [label, value]));
  const tags = [...values].flatMap(([label, value]) =>
    label.startsWith(TAG_LABEL) ? [[label.slice(TAG_LABEL.length), value]] : [],
  );
  const [endUser, session] = [values.get('end_user'), values.get('session')];
  return {
    ...(tags.length === 0 ? {} : { tag: Object.fromEntries(tags) }),
    ...(endUser === undefined ? {} : { end_user: endUser }),
    ...(session === undefined ? {} : { session }),
  };
}

function sumsAnswer(sums: UsageSumsMessage | null): UsageSummary['totals'] {
  if (sums === null) throw new Error('the control plane sent no sums');
  return {
    requests: Number(sums.requests),
    ...unitsAnswer(sums.units),
    cost_usd: formatUsd(BigInt(sums.cost)),
  };
}
