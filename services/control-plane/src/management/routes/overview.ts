import { z } from 'zod';
import { ATTENTION_KINDS, SEVERITIES } from '../../overview/attention-item.ts';
import { type Attention, listAttention } from '../../overview/list-attention.ts';
import type { OverviewFigures, OverviewRow } from '../../overview/overview-figures.ts';
import { OVERVIEW_PERIODS } from '../../overview/overview-period.ts';
import { type Overview, readOverview } from '../../overview/read-overview.ts';
import { MAX_ACCOUNTS } from '../../overview/top-accounts.ts';
import { timestamp } from '../../timestamps.ts';
import { moneyResponse } from '../../usage/money-response.ts';
import { route } from '../route.ts';

const count = z.int();
const money = {
  cost_usd: z
    .string()
    .describe('What providers charge, with the estimated cost of attempts whose responses were not used.'),
  charged_usd: z.string().describe('What payers are charged.'),
  margin_usd: z.string().describe('`charged_usd` − `cost_usd`, below 0 for a loss.'),
};
const percentiles = z
  .object({ p50: z.number(), p95: z.number() })
  .nullable()
  .describe('Milliseconds, exact to 10 %. Null: there was no response.');
const figures = z
  .object({
    requests: count.describe('Settled requests that reached a provider.'),
    ...money,
    errors: count.describe(
      'Of a model: requests that failed. Of a provider: attempts that failed, even if another provider then answered.',
    ),
    error_rate: z.number().nullable().describe('Share of the responses. Null: there was none.'),
    latency_ms: percentiles,
    time_to_first_token_ms: percentiles,
  })
  .meta({ id: 'OverviewFigures' });
const both = {
  now: figures,
  previous: figures
    .nullable()
    .describe('A week before. Errors and times are those of whole hours (UTC). Null: nothing is known.'),
};
const row = z.object({ id: z.string(), ...both });
const overview = z
  .object({
    object: z.literal('overview'),
    period: z.enum(OVERVIEW_PERIODS),
    start: timestamp,
    end: timestamp.describe('Exclusive.'),
    previous_start: timestamp,
    previous_end: timestamp,
    totals: z.object(both),
    providers: z.array(row).describe('Busiest first, at most 500.'),
    models: z.array(row).describe('Busiest first, at most 500.'),
    bucket_seconds: count,
    series: z.array(z.object({ start: timestamp, requests: count, errors: count, ...money })),
  })
  .meta({ id: 'Overview' });

const period = z.enum(OVERVIEW_PERIODS).default('24h').describe('It ends with the current minute.');
const spender = z
  .object({
    account: z.object({ id: z.string(), name: z.string(), email: z.string() }),
    requests: count,
    ...money,
  })
  .meta({ id: 'AccountSpend' });

const attention = z
  .object({
    object: z.literal('attention'),
    data: z
      .array(
        z.object({
          kind: z.enum(ATTENTION_KINDS),
          severity: z.enum(SEVERITIES),
          object: z.object({ type: z.string(), id: z.string(), name: z.string() }),
          since: timestamp.nullable().describe('Null: unknown.'),
          sentence: z.string().describe('What is wrong.'),
          next: z.object({
            text: z.string().describe('What to do.'),
            page: z.string().nullable().describe('Path of a page of the console.'),
            command: z.string().nullable().describe('Command that shows or changes it.'),
          }),
        }),
      )
      .describe('Worst first, at most ten of each kind.'),
    totals: z
      .array(z.object({ kind: z.enum(ATTENTION_KINDS), total: count }))
      .describe('Objects of each kind, counted up to 1,000. Kinds without any are left out.'),
  })
  .meta({ id: 'Attention' });

export const overviewRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/overview',
    operationId: 'getOverview',
    tag: 'Overview',
    summary: 'Get figures of all requests, now and a week before',
    description:
      'By provider and model, of all accounts. Requests and cost are up to two minutes old; other figures are current.',
    scope: 'usage:read',
    isInstallationWide: true,
    query: z.object({ period }),
    response: overview,
    handle: async (context, { query, signal }) =>
      overviewResponse(await readOverview(context, query.period, signal)),
  }),
  route({
    method: 'GET',
    path: '/admin/v1/overview/accounts',
    operationId: 'listTopAccounts',
    tag: 'Overview',
    summary: 'List the accounts that spent most',
    description:
      "Usage of an account's keys, on seats or not. The largest first. It may be five minutes old.",
    scope: 'usage:read',
    isInstallationWide: true,
    query: z.object({ period, limit: z.coerce.number().int().min(1).max(MAX_ACCOUNTS).default(10) }),
    response: z
      .object({ object: z.literal('list'), data: z.array(spender) })
      .meta({ id: 'AccountSpendList' }),
    async handle({ topAccounts }, { query: { limit, period } }) {
      const rows = await topAccounts.read(period);
      const data = rows.slice(0, limit).map(({ charged, providerCost, requests, ...account }) => ({
        ...{ account, requests },
        ...moneyResponse(charged, providerCost),
      }));
      return { object: 'list' as const, data };
    },
  }),
  route({
    method: 'GET',
    path: '/admin/v1/attention',
    operationId: 'listAttention',
    tag: 'Overview',
    summary: "List what needs an operator's attention now",
    description:
      'Failing providers, refused and missing credentials, data planes in trouble, a ledger that does not add up, ' +
      'units without a price, failing webhooks, and pools and budgets that are used to 80 % or more.',
    scope: 'fleet:read',
    isInstallationWide: true,
    response: attention,
    handle: async (context) => attentionResponse(await listAttention(context)),
  }),
];

function overviewResponse({ figures, period, periodName, series }: Overview): z.input<typeof overview> {
  return {
    object: 'overview',
    period: periodName,
    start: iso(period.now.start),
    end: iso(period.now.end),
    previous_start: iso(period.previous.start),
    previous_end: iso(period.previous.end),
    totals: bothResponse(figures.totals),
    providers: figures.providers.map((each) => ({ id: each.id, ...bothResponse(each) })),
    models: figures.models.map((each) => ({ id: each.id, ...bothResponse(each) })),
    bucket_seconds: period.bucketSeconds,
    series: series.map(({ bucket, charged, errors, providerCost, requests }) => ({
      start: bucket.toISOString(),
      requests,
      errors,
      ...moneyResponse(charged, providerCost),
    })),
  };
}

function bothResponse({ now, previous }: Omit<OverviewRow, 'id'>) {
  return { now: figuresResponse(now), previous: previous && figuresResponse(previous) };
}

function figuresResponse(of: OverviewFigures): z.input<typeof figures> {
  return {
    requests: of.requests,
    ...moneyResponse(of.charged, of.providerCost),
    errors: of.errors,
    error_rate: of.errorRate,
    latency_ms: of.latencyMs,
    time_to_first_token_ms: of.timeToFirstTokenMs,
  };
}

function attentionResponse({ items, totals }: Attention): z.input<typeof attention> {
  return {
    object: 'attention',
    data: items.map(({ since, ...item }) => ({ ...item, since: since?.toISOString() ?? null })),
    totals: [...totals].flatMap(([kind, total]) => (total === 0 ? [] : [{ kind, total }])),
  };
}

function iso(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
