import { Prisma, type ReadingPool } from '@model-gateway/database';
import { LEVEL_KINDS, perUnit, pricing, UNITS } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { isRequest } from '../partitions/arrival-store.ts';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;

export const unitColumns = perUnit('unit', () => z.bigint());

export const UNITS_USED = Prisma.raw(UNITS.map(({ unit, column }) => `r.${column} AS "${unit}"`).join(', '));

const storedUnits = z.object(perUnit('unit', () => z.int().default(0)));

export const storedAttempts = z.array(
  z.object({
    providerId: z.string(),
    /** Absent: the request's model. */
    modelId: z.string().optional(),
    httpStatus: z.int().nullable(),
    errorCode: z.string().nullable(),
    durationMs: z.number(),
    /** Unix milliseconds, by the data plane's clock; absent in older records. */
    endedAtMs: z.number().optional(),
    /** Null without a stream or a token. */
    timeToFirstTokenMs: z.number().nullish(),
    /** Variable of the credential used; absent: none. */
    credentialEnv: z.string().optional(),
    error: z.string().optional(),
    operatorError: z.string().optional(),
    /** What the provider may bill for a response that was not used; absent: nothing. */
    estimatedUnits: storedUnits.optional(),
    /** Nano-USD as text, because JSON would round them. */
    estimatedCost: z.string().optional(),
    providerRequestId: z.string().optional(),
  }),
);
export type StoredAttempt = z.infer<typeof storedAttempts>[number];

export const clientStatusColumns = {
  clientStatus: z.int().nullable(),
  clientErrorCode: z.string().nullable(),
};

/** Money of a record `r`. */
export const MONEY = Prisma.raw(`r.cost, r.charged, r.provider_cost AS "providerCost",
  r.attempts_cost AS "attemptsCost", r.price_list_version AS "priceListVersion", r.service_tier AS "serviceTier"`);

export const moneyColumns = {
  /** What the payer owes, in nano-USD as all of them. */
  cost: z.bigint(),
  charged: z.bigint(),
  /** Null: the same as `cost`. */
  providerCost: z.bigint().nullable(),
  /** Null: none. */
  attemptsCost: z.bigint().nullable(),
  priceListVersion: z.int().nullable(),
  serviceTier: z.string().nullable(),
};

/** Labels of a record `r`. */
export const LABELS_STORED = Prisma.raw('r.tags, r.end_user AS "endUser", r.session');

export const labelColumns = {
  tags: z.record(z.string(), z.string()).nullable(),
  endUser: z.string().nullable(),
  session: z.string().nullable(),
};

/** Consumption per model (settlement/settled-record.ts). */
export const storedParts = z.array(
  z.object({
    modelId: z.string(),
    priceVersion: z.int().nullable(),
    units: storedUnits,
    /** Nano-USD as text, because JSON would round them. */
    cost: z.string(),
    /** Absent: the same as `cost`. */
    providerCost: z.string().optional(),
    unpriced: z.array(z.string()),
  }),
);

const scope = z.enum(LEVEL_KINDS);

export const receiptRows = z.array(
  z.object({
    requestId: z.string(),
    accountId: z.string(),
    seatId: z.string().nullable(),
    teamId: z.string().nullable(),
    /** Null when the account has been deleted. */
    accountEmail: z.string().nullable(),
    keyId: z.string(),
    /** Null when the key has been deleted. */
    keyName: z.string().nullable(),
    keyKind: z.string().nullable(),
    /** Member who made the key. */
    keyMemberId: z.string().nullable(),
    modelId: z.string(),
    capability: z.string(),
    priceVersion: z.int().nullable(),
    /** Without members of newer releases. */
    pricing: z.object(pricing.shape).nullable(),
    /** Terms of the version of the price list; null: it is not known. */
    priceListTerms: z.unknown(),
    ...unitColumns,
    usageSource: z.string().nullable(),
    billingReason: z.string(),
    held: z.bigint(),
    ...moneyColumns,
    uncollected: z.bigint(),
    attempts: storedAttempts,
    /** Null: only the request's model answered. */
    parts: storedParts.nullable(),
    ...clientStatusColumns,
    ...labelColumns,
    affinity: z.string().nullable(),
    budgets: z.array(z.string()).nullable(),
    /** Last known state of a lost data plane; the final report may replace it. */
    isProvisional: z.boolean(),
    endedAt: z.date(),
    settledAt: z.date(),
    hasContents: z.boolean(),
    /** Nano-USD as text, because JSON would round them. */
    debits: z.array(z.object({ poolId: z.string(), name: z.string(), scope, amount: z.string() })),
  }),
);
export type ReceiptRow = z.infer<typeof receiptRows>[number];

/** Selects receiptRows. @param where condition on usage records `r` */
export function selectReceipts(where: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT r.request_id AS "requestId", r.account_id AS "accountId", r.seat_id AS "seatId",
      r.team_id AS "teamId", account.email AS "accountEmail", r.key_id AS "keyId", key.name AS "keyName", key.kind AS "keyKind", key.member_id AS "keyMemberId",
      r.model_id AS "modelId", r.capability, r.price_version AS "priceVersion",
      price.pricing, ${UNITS_USED}, r.usage_source AS "usageSource", r.billing_reason AS "billingReason",
      r.held, ${MONEY}, r.uncollected, list.terms AS "priceListTerms", r.attempts, r.parts, r.ended_at AS "endedAt",
      r.settled_at AS "settledAt", r.client_status AS "clientStatus", r.client_error_code AS "clientErrorCode",
      ${LABELS_STORED}, r.affinity, r.budgets, r.is_provisional AS "isProvisional",
      EXISTS (
        SELECT FROM contents_keys sealing
        JOIN request_contents stored ON stored.key_id = sealing.id AND stored.request_id = r.request_id
        WHERE sealing.account_id = r.account_id AND sealing.sealed IS NOT NULL
      ) AS "hasContents",
      (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'poolId', pool.id, 'name', pool.name, 'amount', paid.amount::text,
          'scope', split_part(pool.owner, ':', 1)
        ) ORDER BY paid.place), '[]')
        FROM (
          SELECT r.pool_id, r.charged AS amount, 0 AS place WHERE r.pool_id IS NOT NULL
          UNION ALL
          SELECT charge->>'poolId', (charge->>'amount')::bigint, place
          FROM jsonb_array_elements(r.charges) WITH ORDINALITY AS given (charge, place)
        ) AS paid
        JOIN pools pool ON pool.id = paid.pool_id
      ) AS debits
    FROM usage_records r
    LEFT JOIN model_prices price ON price.model_id = r.model_id AND price.version = r.price_version
    LEFT JOIN price_list_versions list ON list.number = r.price_list_version
    LEFT JOIN accounts account ON account.id = r.account_id
    LEFT JOIN api_keys key ON key.id = r.key_id
    WHERE ${where}`;
}

export class UsageStore extends ReadingStore {
  readonly #keepDays: number;

  /** @param keepDays days with minute sums (UsageRetentionStore) */
  constructor(reads: ReadingPool, keepDays: number) {
    super(reads);
    this.#keepDays = keepDays;
  }

  /** Start of a day in Unix seconds; earlier there are only hour and day sums. */
  get minutesSince(): number {
    return (Math.floor(Date.now() / DAY_MS) - this.#keepDays) * DAY_SECONDS;
  }

  async receipt(requestId: string, signal: AbortSignal): Promise<ReceiptRow | undefined> {
    const [row] = await this.query(receiptRows, signal)`${selectReceipts(isRequest(requestId))}`;
    return row;
  }
}
