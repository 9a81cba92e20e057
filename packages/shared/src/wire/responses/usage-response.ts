import { z } from 'zod';
import { LEVEL_KINDS } from '../../billing/payer.ts';
import { sellingPrices, sellingServiceTiers, sellingTiers } from '../../billing/pricing.ts';
import { perUnit } from '../../billing/units.ts';
import { capability } from '../../catalog/capability.ts';
import { tier } from '../../catalog/catalog-names.ts';
import { MAX_LABEL_VALUES, OTHER_VALUES } from '../usage-query.ts';

/**
 * The responses of GET /v1/usage and /v1/usage/requests/{request_id} (docs/endpoints.md, "GET /v1/usage").
 */

const usd = z.string().regex(/^\d+\.\d{9}$/, 'dollars with nine decimals');
const count = z.int().min(0);
const unixSeconds = z.int().min(0).describe('Unix seconds.');
const period = { start_time: unixSeconds, end_time: unixSeconds };
/** The kind of a pool's owner. */
export const usageScope = z.enum(LEVEL_KINDS);
export const usageSource = z.enum(['provider', 'gateway', 'estimated']);
export const billingReason = z.enum([
  'completed',
  'aborted_partial',
  'upstream_failed_free',
  'estimated',
  'cache_hit',
]);

const OTHERS = `\`${OTHER_VALUES}\`: all but the first ${MAX_LABEL_VALUES} values of a day.`;
const tags = z.record(z.string(), z.string());
export const affinity = z.enum(['session', 'prefix', 'none']);

const units = perUnit('json', ({ contains, shownPer }) => {
  const number = shownPer === 1 ? count : z.number().min(0);
  return contains === undefined ? number : number.describe(`Includes ${contains}.`);
});

const unpriced = z.array(z.string());

const totals = { requests: count, ...units, cost_usd: usd };

export const usageSummary = z.object({
  object: z.literal('usage.summary'),
  period: z.object(period),
  totals: z.object(totals),
  pools: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scope: usageScope,
      unlimited: z.boolean().describe('Counts what is used, and never refuses a request.'),
      included_usd: usd.nullable().describe('Null: unlimited.'),
      used_usd: usd,
      left_usd: usd.nullable().describe('included_usd − used_usd. Null: unlimited.'),
      held_usd: usd.describe(
        'The part of left_usd that is reserved for running requests. What they do not use is released.',
      ),
      remaining_usd: usd
        .nullable()
        .describe('Available for new requests: left_usd − held_usd. Null: unlimited.'),
      resets_at: unixSeconds.nullable().describe('Unix seconds. Null: never.'),
      expires_at: unixSeconds
        .nullable()
        .describe('Unix seconds. What is left at this time is taken away. Null: never.'),
    }),
  ),
  limits: z.array(
    z.object({ name: z.string(), limit: count, window_seconds: z.int().min(1), remaining: count }),
  ),
  data: z.array(
    z.object({
      object: z.literal('bucket'),
      ...period,
      results: z.array(
        z.object({
          model: z.string().optional(),
          key: z.string().optional(),
          capability: capability.optional(),
          tag: z
            .record(z.string(), z.string().nullable())
            .optional()
            .describe(`Values of the tags that the query groups by. Null: a request without. ${OTHERS}`),
          end_user: z.string().nullable().optional(),
          session: z.string().nullable().optional(),
          ...totals,
        }),
      ),
    }),
  ),
  has_more: z.boolean(),
  next_page: z.string().nullable(),
});
export type UsageSummary = z.infer<typeof usageSummary>;

export const usageReceipt = z.object({
  object: z.literal('usage.receipt'),
  request_id: z.string(),
  created: unixSeconds,
  model: z.string(),
  capability,
  tier,
  status: z
    .int()
    .nullable()
    .describe('HTTP status of the response. 499: you disconnected before the response. Null: not known.'),
  code: z
    .string()
    .nullable()
    .describe('Error code of the response, or of the event that ended the stream. Null: no error.'),
  units: z.object(units),
  usage_source: usageSource.nullable().describe('Who counted the units. Null: nothing was consumed.'),
  price_version: z
    .int()
    .nullable()
    .describe('Version of the prices at the time of the request. Null: a free model.'),
  pricing: sellingPrices.nullable().describe('The prices that you were charged, in US dollars.'),
  pricing_tiers: sellingTiers.optional().describe('The same for long inputs. Absent: none.'),
  pricing_service_tiers: sellingServiceTiers.optional().describe('The same for service tiers. Absent: none.'),
  service_tier: z
    .string()
    .optional()
    .describe(
      'The service tier whose prices apply: the one that the provider reported, else the requested one. ' +
        'Absent: the default one.',
    ),
  unpriced: unpriced
    .optional()
    .describe(
      'Units for which the model has no price, and `service_tier` if it has none for that. They were charged ' +
        'at the highest price that can apply. Absent: none.',
    ),
  parts: z
    .array(
      z.object({
        model: z.string(),
        price_version: z.int().nullable().describe('Null: a free model.'),
        units: z.object(units),
        cost_usd: usd.describe(
          'Rounded up for this part. The charged amount is rounded up once, for all parts together.',
        ),
        unpriced: unpriced.optional(),
      }),
    )
    .optional()
    .describe(
      'Usage per model, if the provider ran several. Then `units` only has the usage of `model`, and ' +
        '`settled_usd` covers all of them. Absent: only `model` ran.',
    ),
  held_usd: usd.describe('The amount reserved for the request.'),
  settled_usd: usd.describe('The amount charged to all pools together.'),
  uncollected_usd: usd.describe('The amount that the pools could not cover.'),
  pools: z.array(z.object({ id: z.string(), name: z.string(), scope: usageScope, debited_usd: usd })),
  attempts: z.array(
    z.object({
      provider: z.string(),
      model: z.string().describe('The model of this attempt. It changes with a fallback.'),
      status: z.int().nullable().describe("HTTP status of the provider's response. Null: it sent none."),
      code: z.string().nullable().describe('Error code of a failed attempt.'),
      error: z
        .string()
        .nullable()
        .describe(
          'What the provider did in a failed attempt, with the first 500 characters of its message where that ' +
            'is about the request: `answered 404: The model x does not exist`. Null: unknown, or no failure.',
        ),
      duration_ms: z.number().min(0),
    }),
  ),
  billing_reason: billingReason,
  tags: tags.describe('Tags of the key and of the request. Empty: none.'),
  end_user: z.string().nullable().describe('The end user that the request named. Null: none.'),
  session: z.string().nullable().describe('The session that the request named. Null: none.'),
  affinity: affinity
    .nullable()
    .describe(
      'What kept the conversation at one provider: its `session`, or the `prefix` of its messages. ' +
        '`none`: nothing. Null: not known.',
    ),
  cached_input_share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'The part of the input tokens that came from the cache of the provider. Null: no input tokens.',
    ),
  rules_checked: z.array(z.string()).describe('Ids of the budgets that the request was reserved from.'),
});
export type UsageReceipt = z.infer<typeof usageReceipt>;
