import { z } from 'zod';
import { LEVEL_KINDS } from '../../billing/payer.ts';
import { prices, priceTiers } from '../../billing/pricing.ts';
import { perUnit } from '../../billing/units.ts';
import { capability } from '../../catalog/capability.ts';
import { tier } from '../../catalog/catalog-names.ts';

/**
 * The answers of GET /v1/usage and /v1/usage/requests/{request_id} (docs/endpoints.md, "GET /v1/usage").
 */

const usd = z.string().regex(/^\d+\.\d{9}$/, 'dollars with nine decimals');
const count = z.int().min(0);
const unixSeconds = z.int().min(0).describe('Unix seconds.');
const period = { start_time: unixSeconds, end_time: unixSeconds };
/** The kind of a pool's owner. */
export const usageScope = z.enum(LEVEL_KINDS);
export const usageSource = z.enum(['provider', 'gateway', 'estimated']);
export const billingReason = z.enum(['completed', 'aborted_partial', 'upstream_failed_free', 'estimated']);

const units = perUnit('json', ({ contains, shownPer }) => {
  const told = shownPer === 1 ? count : z.number().min(0);
  return contains === undefined ? told : told.describe(`Contains the ${contains}.`);
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
      included_usd: usd,
      used_usd: usd,
      left_usd: usd.describe('included_usd − used_usd.'),
      held_usd: usd.describe(
        'The part of left_usd that is set aside for requests at this moment. ' +
          'It is not spent: what they do not use comes back.',
      ),
      remaining_usd: usd.describe('The other part, for new requests: left_usd − held_usd.'),
      resets_at: unixSeconds.nullable(),
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
    .describe('What you were answered; 499 when you had left before that, null when it is not known.'),
  code: z
    .string()
    .nullable()
    .describe('Error code of that answer, or of the event that ended a stream; null without an error.'),
  units: z.object(units),
  usage_source: usageSource.nullable().describe('Who counted; null when nothing was consumed.'),
  price_version: z.int().nullable().describe('The version in force at the time; null for a free model.'),
  pricing: prices.nullable().describe('US dollars, of that version.'),
  pricing_tiers: priceTiers
    .optional()
    .describe('The other prices of that version for long inputs; absent where there are none.'),
  unpriced: unpriced
    .optional()
    .describe(
      'Units that the model has no price for: they were charged at the dearest price that they could have. ' +
        'Absent: there are none.',
    ),
  parts: z
    .array(
      z.object({
        model: z.string(),
        price_version: z.int().nullable().describe('Null for a free model.'),
        units: z.object(units),
        cost_usd: usd.describe(
          'Rounded up for this part; what is charged is rounded up once for all of them.',
        ),
        unpriced: unpriced.optional(),
      }),
    )
    .optional()
    .describe(
      'What each model used, where the provider let several answer: `units` are then those of `model` alone, ' +
        'and `settled_usd` is the price of all. Absent: `model` alone has answered.',
    ),
  held_usd: usd.describe('What was set aside for it.'),
  settled_usd: usd.describe('What was charged, all pools together.'),
  uncollected_usd: usd.describe('What the pools could not cover.'),
  pools: z.array(z.object({ id: z.string(), name: z.string(), scope: usageScope, debited_usd: usd })),
  attempts: z.array(
    z.object({
      provider: z.string(),
      model: z.string().describe('The model that was asked: another one where it fell back.'),
      status: z
        .int()
        .nullable()
        .describe('What the provider answered the gateway, not what you were answered; null: nothing.'),
      code: z.string().nullable().describe('Error code of a failed attempt.'),
      duration_ms: z.number().min(0),
    }),
  ),
  billing_reason: billingReason,
});
export type UsageReceipt = z.infer<typeof usageReceipt>;
