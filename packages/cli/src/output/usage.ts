import type { GetUsageResponseMessage, UnitsMessage, UsageSumsMessage } from '@model-gateway/contracts';
import { type PoolJson, poolJson, poolTable } from './pool.ts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { type UnitsJson, unitsJson, unitsPresent } from './units.ts';
import { shortUsd, usd } from './usd.ts';

interface SumsJson extends UnitsJson {
  requests: number;
  cost_usd: string;
}

export interface UsageJson {
  account_id: string;
  since: string;
  /** Not included. */
  until: string;
  totals: SumsJson;
  /** Most expensive first. */
  models: ({ model: string } & SumsJson)[];
  /** As they are now, in the order in which they are drawn on. */
  pools: PoolJson[];
}

/**
 * @param pages of one period, in buckets that are grouped by model; what was said first is said of it all
 * @throws when the answer of the control plane holds no totals
 */
export function usageJson(accountId: string, pages: readonly GetUsageResponseMessage[]): UsageJson {
  const [first] = pages;
  if (!first?.totals) throw new Error('the control plane answered without totals');
  const groups = pages.flatMap(({ buckets }) => buckets.flatMap((bucket) => bucket.groups));
  const models = [...Map.groupBy(groups, ({ model }) => model ?? '')]
    .map(([model, ofModel]) => ({ model, sums: add(ofModel.flatMap(({ sums }) => sums ?? [])) }))
    .sort((one, other) => Number(BigInt(other.sums.cost) - BigInt(one.sums.cost)));
  return {
    account_id: accountId,
    since: isoTimestamp(`${first.startTime}000`),
    until: isoTimestamp(`${first.endTime}000`),
    totals: sumsJson(first.totals),
    models: models.map(({ model, sums }) => ({ model, ...sumsJson(sums) })),
    pools: first.pools.map(poolJson),
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

function sumsJson({ requests, units, cost }: UsageSumsMessage): SumsJson {
  return { requests: Number(requests), ...unitsJson(units), cost_usd: usd(cost) };
}

function add(all: readonly UsageSumsMessage[]): UsageSumsMessage {
  const sum = (of: (sums: UsageSumsMessage) => string | undefined) =>
    String(all.reduce((total, sums) => total + BigInt(of(sums) ?? 0), 0n));
  const unit = (name: keyof UnitsMessage) => sum(({ units }) => units?.[name]);
  return {
    requests: sum(({ requests }) => requests),
    cost: sum(({ cost }) => cost),
    units: {
      inputTokens: unit('inputTokens'),
      cachedInputTokens: unit('cachedInputTokens'),
      outputTokens: unit('outputTokens'),
      images: unit('images'),
      characters: unit('characters'),
      audioMs: unit('audioMs'),
      searchUnits: unit('searchUnits'),
    },
  };
}
