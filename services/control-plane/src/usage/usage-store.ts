import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import type { Payer } from '../billing/allowance-store.ts';
import type { Piece } from './cover-period.ts';
import type { Grouping } from './usage-question.ts';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;

/** Roll-ups to add up: into their bucket and groups, or only into the totals. */
export interface UsagePiece extends Piece {
  isListed: boolean;
}

export interface UsageFilter {
  payer: Payer;
  /** Of the buckets, in seconds. */
  width: number;
  groupBy: ReadonlySet<Grouping>;
  /** Only these; empty: all. */
  models: readonly string[];
}

/** Columns of what a request consumed, as JavaScript has them. */
export const unitColumns = {
  inputTokens: z.bigint(),
  cachedInputTokens: z.bigint(),
  outputTokens: z.bigint(),
  images: z.bigint(),
  characters: z.bigint(),
  audioMs: z.bigint(),
  searchUnits: z.bigint(),
};

const sums = z.object({
  requests: z.bigint(),
  ...unitColumns,
  charged: z.bigint(),
});
/** What requests consumed and were charged, in nano-USD. */
export type UsageSums = z.infer<typeof sums>;

const sumRows = z.array(
  sums.extend({
    /** Where the whole bucket starts; null: in no bucket that is listed. */
    bucket: z.date().nullable(),
    model: z.string().nullable(),
    key: z.string().nullable(),
    capability: z.string().nullable(),
  }),
);
export type UsageSumRow = z.infer<typeof sumRows>[number];

/** Attempts as usage records keep them, in their order. */
export const storedAttempts = z.array(
  z.object({
    providerId: z.string(),
    httpStatus: z.int().nullable(),
    errorCode: z.string().nullable(),
    durationMs: z.number(),
    /** Null: it was no stream, or it had no token; absent in records from before this was kept. */
    timeToFirstTokenMs: z.number().nullish(),
  }),
);
export type StoredAttempt = z.infer<typeof storedAttempts>[number];

const scope = z.enum(['seat', 'team', 'account']);

const receiptRows = z.array(
  z.object({
    requestId: z.string(),
    accountId: z.string(),
    seatId: z.string().nullable(),
    teamId: z.string().nullable(),
    keyId: z.string(),
    /** Null: the key is forgotten. */
    keyName: z.string().nullable(),
    keyKind: z.string().nullable(),
    modelId: z.string(),
    capability: z.string(),
    priceVersion: z.int().nullable(),
    pricing: z.record(z.string(), z.string()).nullable(),
    ...unitColumns,
    usageSource: z.string().nullable(),
    billingReason: z.string(),
    held: z.bigint(),
    cost: z.bigint(),
    charged: z.bigint(),
    uncollected: z.bigint(),
    attempts: storedAttempts,
    endedAt: z.date(),
    /** Nano-USD as text, because JSON would round them. */
    debits: z.array(z.object({ poolId: z.string(), name: z.string(), scope, amount: z.string() })),
  }),
);
export type ReceiptRow = z.infer<typeof receiptRows>[number];

/** Reads what requests consumed and cost. Sums come from the roll-ups alone: the records are too many. */
export class UsageStore {
  readonly #prisma: PrismaClient;
  readonly #keepDays: number;

  /** @param keepDays for as long there are sums by the minute (UsageRetentionStore) */
  constructor(prisma: PrismaClient, keepDays: number) {
    this.#prisma = prisma;
    this.#keepDays = keepDays;
  }

  /** Unix seconds at the start of a day: before it there are only sums by the hour and the day. */
  get minutesSince(): number {
    return (Math.floor(Date.now() / DAY_MS) - this.#keepDays) * DAY_SECONDS;
  }

  /** Adds roll-ups up, in one statement, so that all of it is of one moment. */
  async sums(
    pieces: readonly UsagePiece[],
    { payer, width, groupBy, models }: UsageFilter,
  ): Promise<UsageSumRow[]> {
    // A SELECT for each: joined with a list of them, Postgres would not see how few rows they are.
    const rollups = pieces.map(
      (piece) => Prisma.sql`
        SELECT ${piece.isListed}::boolean AS is_listed, r.* FROM usage_rollups r
        WHERE account_id = ${payer.accountId} AND seat_id = ${payer.seatId ?? ''} AND width = ${piece.width}
          AND bucket >= ${new Date(piece.start * 1_000)} AND bucket < ${new Date(piece.end * 1_000)}`,
    );
    return sumRows.parse(
      await this.#prisma.$queryRaw`
        SELECT
          CASE WHEN is_listed THEN date_bin(${width}::int * interval '1 second', bucket, 'epoch') END AS bucket,
          CASE WHEN is_listed AND ${groupBy.has('model')}::boolean THEN model_id END AS model,
          CASE WHEN is_listed AND ${groupBy.has('key')}::boolean THEN key_id END AS key,
          CASE WHEN is_listed AND ${groupBy.has('capability')}::boolean THEN capability END AS capability,
          sum(requests)::bigint AS requests, sum(input_tokens)::bigint AS "inputTokens",
          sum(cached_input_tokens)::bigint AS "cachedInputTokens", sum(output_tokens)::bigint AS "outputTokens",
          sum(images)::bigint AS images, sum(characters)::bigint AS characters,
          sum(audio_ms)::bigint AS "audioMs", sum(search_units)::bigint AS "searchUnits",
          sum(charged)::bigint AS charged
        FROM (${Prisma.join(rollups, ' UNION ALL ')}) AS rollups
        WHERE ${models.length === 0}::boolean OR model_id = ANY(${[...models]}::text[])
        GROUP BY 1, 2, 3, 4
        ORDER BY 1, 2, 3, 4`,
    );
  }

  /** Request, price and debits of one moment. */
  async receipt(requestId: string): Promise<ReceiptRow | undefined> {
    const [row] = receiptRows.parse(
      await this.#prisma.$queryRaw`
        SELECT r.request_id AS "requestId", r.account_id AS "accountId", r.seat_id AS "seatId", r.team_id AS "teamId",
          r.key_id AS "keyId", key.name AS "keyName", key.kind AS "keyKind", r.model_id AS "modelId", r.capability, r.price_version AS "priceVersion",
          price.pricing, r.input_tokens AS "inputTokens", r.cached_input_tokens AS "cachedInputTokens",
          r.output_tokens AS "outputTokens", r.images, r.characters, r.audio_ms AS "audioMs",
          r.search_units AS "searchUnits", r.usage_source AS "usageSource", r.billing_reason AS "billingReason",
          r.held, r.cost, r.charged, r.uncollected, r.attempts, r.ended_at AS "endedAt",
          (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
              'poolId', pool.id, 'name', pool.name, 'amount', (-entry.amount)::text,
              'scope', CASE WHEN pool.seat_id IS NOT NULL THEN 'seat' WHEN pool.team_id IS NOT NULL THEN 'team'
                ELSE 'account' END
            ) ORDER BY entry.id), '[]')
            FROM ledger_entries entry JOIN pools pool ON pool.id = entry.pool_id
            WHERE entry.request_id = r.request_id AND entry.kind = 'charge'
          ) AS debits
        FROM usage_records r
        LEFT JOIN model_prices price ON price.model_id = r.model_id AND price.version = r.price_version
        LEFT JOIN api_keys key ON key.id = r.key_id
        WHERE r.request_id = ${requestId}`,
    );
    return row;
  }
}
