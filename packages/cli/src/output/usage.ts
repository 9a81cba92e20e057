import type { GetUsageResponseMessage, UsageSumsMessage } from '@model-gateway/contracts';
import { type PoolJson, poolJson, poolTable } from './pool.ts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { type UnitsJson, unitsJson, unitsPresent } from './units.ts';
import { shortUsd, usd } from './usd.ts';

export interface SumsJson extends UnitsJson {
  requests: number;
  cost_usd: string;
}

export interface UsageJson {
  account_id: string;
  since: string;
  /** The end of the period, which is not part of it. */
  until: string;
  totals: SumsJson;
  /** The most expensive models first, at most 2,000 of them. */
  models: ({ model: string } & SumsJson)[];
  /** The pools as they are now, in the order in which they are used. */
  pools: PoolJson[];
}

/**
 * @param usage the usage of a period in one bucket, grouped by model
 * @throws when the answer of the control plane holds no totals
 */
export function usageJson(accountId: string, usage: GetUsageResponseMessage): UsageJson {
  if (!usage.totals) throw new Error('the control plane answered without totals');
  const groups = usage.buckets.flatMap((bucket) => bucket.groups);
  return {
    account_id: accountId,
    since: isoTimestamp(`${usage.startTime}000`),
    until: isoTimestamp(`${usage.endTime}000`),
    totals: sumsJson(usage.totals),
    models: groups.flatMap(({ model = '', sums }) => (sums === null ? [] : [{ model, ...sumsJson(sums) }])),
    pools: usage.pools.map(poolJson),
  };
}

export function usageText({ account_id, since, until, totals, models, pools }: UsageJson): string {
  const units = unitsPresent(totals);
  const row = (name: string, sums: SumsJson) => [
    name,
    String(sums.requests),
    ...units.map((unit) => String(sums[unit])),
    shortUsd(sums.cost_usd),
  ];
  const used = formatTable(
    ['MODEL', 'REQUESTS', ...units.map((unit) => unit.replaceAll('_', ' ').toUpperCase()), 'COST USD'],
    [...models.map(({ model, ...sums }) => row(model, sums)), row('total', totals)],
  );
  const credit = pools.length === 0 ? 'No pools: paid models are refused.\n' : poolTable(pools);
  return `${account_id}, ${since} to ${until}\n\n${used}\n${credit}`;
}

export function sumsJson({ requests, units, cost }: UsageSumsMessage): SumsJson {
  return { requests: Number(requests), ...unitsJson(units), cost_usd: usd(cost) };
}
