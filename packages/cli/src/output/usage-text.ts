import type { GetUsageResponseMessage, UsageSumsMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { MONEY_HEADER, type MoneyJson, moneyCells, moneyJson } from './money-json.ts';
import { poolJson, poolTable } from './pool-table.ts';
import { withId, words } from './printable.ts';
import { isoFromSeconds } from './timestamp.ts';
import { type UnitsJson, unitsJson, unitsPresent } from './units.ts';

export interface SumsJson extends UnitsJson, MoneyJson {
  requests: number;
}

type UsageJson = ReturnType<typeof usageJson>;

/**
 * @param usage the usage of a period in one bucket, grouped by model
 * @throws when the answer of the control plane holds no totals
 */
export function usageJson(accountId: string, usage: GetUsageResponseMessage) {
  if (!usage.totals) throw new Error('the control plane answered without totals');
  const groups = usage.buckets.flatMap((bucket) => bucket.groups);
  return {
    account_id: accountId,
    since: isoFromSeconds(usage.startTime),
    until: isoFromSeconds(usage.endTime),
    totals: sumsJson(usage.totals),
    models: groups.flatMap(({ model = '', sums }) => (sums === null ? [] : [{ model, ...sumsJson(sums) }])),
    pools: usage.pools.map(poolJson),
  };
}

/** @param nameOf the names of the account and of the owners of the pools */
export function usageText(
  { account_id, since, until, totals, models, pools }: UsageJson,
  nameOf: (id: string) => string,
): string {
  const units = unitsPresent(totals);
  const row = (name: string, sums: SumsJson) => [
    name,
    String(sums.requests),
    ...units.map((unit) => String(sums[unit])),
    ...moneyCells(sums),
  ];
  const used = formatTable(
    ['MODEL', 'REQUESTS', ...units.map((unit) => words(unit).toUpperCase()), ...MONEY_HEADER],
    [...models.map(({ model, ...sums }) => row(model, sums)), row('total', totals)],
  );
  const credit = pools.length === 0 ? 'No pools: paid models are refused.\n' : poolTable(pools, nameOf);
  return `${withId(account_id, nameOf)}, ${since} to ${until}\n\n${used}\n${credit}`;
}

export function sumsJson({ cost, providerCost, requests, units }: UsageSumsMessage): SumsJson {
  return { requests: Number(requests), ...unitsJson(units), ...moneyJson(cost, providerCost) };
}
