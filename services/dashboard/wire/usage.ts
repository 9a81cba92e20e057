import { LEVEL_KINDS } from '@model-gateway/shared/payer';
import { perUnit } from '@model-gateway/shared/units';
import { z } from 'zod';

/** A decimal string, US dollars. */
export const usd = z.string();

export const pool = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(LEVEL_KINDS),
  ownerId: z.string(),
  /** Null: unlimited. */
  includedUsd: usd.nullable(),
  usedUsd: usd,
  /** included − used; null: unlimited */
  leftUsd: usd.nullable(),
  /** The part of `leftUsd` that is reserved for running requests. */
  heldUsd: usd,
  /** left − held; null: unlimited */
  remainingUsd: usd.nullable(),
  /** Null: never. */
  resetsAtMs: z.number().nullable(),
  /** Null: never. */
  expiresAtMs: z.number().nullable(),
});
export type Pool = z.infer<typeof pool>;

export const shownUnits = z.object(perUnit('shown', () => z.number()));
export type ShownUnits = z.infer<typeof shownUnits>;

export const usageSums = z.object({ requests: z.number(), ...shownUnits.shape, costUsd: usd });
export type UsageSums = z.infer<typeof usageSums>;

/** Labels that split sums: a tag by its name, the end user, the session. */
const label = z
  .string()
  .regex(/^(tag:[a-z0-9_.-]{1,64}|end_user|session)$/, 'must be tag:<name>, end_user or session');

/** The query of /api/usage, /api/usage.csv, /api/requests and /api/requests.csv: period and owner. */
export const periodQuery = z.object({
  /** In Unix milliseconds; the first is included, the second is not. */
  fromMs: z.coerce.number().int().min(0),
  toMs: z.coerce.number().int().min(0),
  /** A seat of the account, or of a team that it owns (sums only); left out: what the account pays. */
  seatId: z.string().min(1).max(100).optional(),
  /** Only requests with this value of this label; both or neither. */
  label: label.optional(),
  value: z.string().min(1).max(256).optional(),
});

/** GET /api/usage, /api/usage.csv */
export const usageQuery = periodQuery.extend({
  width: z.enum(['minute', 'hour', 'day']),
  /** Splits the sums in `byLabel`. */
  group: label.optional(),
});
export type UsageQuery = z.input<typeof usageQuery>;

export const usageResponse = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  totals: usageSums,
  /** Every bucket of the period in order, including empty ones. */
  buckets: z.array(z.object({ startMs: z.number(), endMs: z.number(), requests: z.number(), costUsd: usd })),
  /** The most expensive first, then those with most requests; at most 1,000 models and 1,000 keys. */
  byModel: z.array(usageSums.extend({ model: z.string() })),
  byKey: z.array(
    usageSums.extend({
      keyId: z.string(),
      name: z.string(),
      /** `playground`: all of the account's playground chats, in one row with this id as its key id. */
      kind: z.enum(['issued', 'playground', 'demo']),
      displayPrefix: z.string().nullable(),
    }),
  ),
  /** Sums by the value of `group`, sorted alike; null: requests without it. Empty without `group`. */
  byLabel: z.array(usageSums.extend({ value: z.string().nullable() })),
  pools: z.array(pool),
});
export type UsageResponse = z.infer<typeof usageResponse>;
