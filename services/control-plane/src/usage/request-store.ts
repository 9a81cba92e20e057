import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import type { RequestQuestion } from './request-question.ts';
import { storedAttempts, unitColumns } from './usage-store.ts';

const requestRows = z.array(
  z.object({
    requestId: z.string(),
    endedAt: z.date(),
    modelId: z.string(),
    capability: z.string(),
    keyId: z.string(),
    ...unitColumns,
    usageSource: z.string().nullable(),
    billingReason: z.string(),
    charged: z.bigint(),
    attempts: storedAttempts,
  }),
);
export type RequestRow = z.infer<typeof requestRows>[number];

/** Reads single requests from the usage records. */
export class RequestStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Newest first; of those that ended in the same millisecond the highest id first. */
  async list(question: RequestQuestion): Promise<RequestRow[]> {
    return requestRows.parse(await this.#prisma.$queryRaw(listStatement(question)));
  }
}

/**
 * Reads backwards along one index and stops at the limit. Pairs are compared and ordered, because a plan that is kept for
 * all accounts must not walk through what others did at that time, either: no other index has this order.
 * Exported for the test that reads its plan.
 */
export function listStatement(question: RequestQuestion): Prisma.Sql {
  const { accountId, seatId, startMs, endMs, modelId, keyId, limit, after } = question;
  const [owner, ownerId] =
    keyId === undefined ? [Prisma.sql`account_id`, accountId] : [Prisma.sql`key_id`, keyId];
  const conditions = [
    Prisma.sql`(${owner}, ended_at) >= (${ownerId}, ${new Date(startMs)})`,
    Prisma.sql`(${owner}, ended_at) < (${ownerId}, ${new Date(endMs)})`,
    seatId === undefined ? Prisma.sql`seat_id IS NULL` : Prisma.sql`seat_id = ${seatId}`,
  ];
  if (keyId !== undefined) conditions.push(Prisma.sql`account_id = ${accountId}`);
  if (modelId !== undefined) conditions.push(Prisma.sql`model_id = ${modelId}`);
  if (after !== undefined) {
    const place = Prisma.sql`(${ownerId}, ${new Date(after.endedAtMs)}, ${after.requestId})`;
    conditions.push(Prisma.sql`(${owner}, ended_at, request_id) < ${place}`);
  }
  return Prisma.sql`
    SELECT request_id AS "requestId", ended_at AS "endedAt", model_id AS "modelId", capability, key_id AS "keyId",
      input_tokens AS "inputTokens", cached_input_tokens AS "cachedInputTokens", output_tokens AS "outputTokens",
      images, characters, audio_ms AS "audioMs", search_units AS "searchUnits", usage_source AS "usageSource",
      billing_reason AS "billingReason", charged, attempts
    FROM usage_records
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY ${owner} DESC, ended_at DESC, request_id DESC
    LIMIT ${limit}`;
}
