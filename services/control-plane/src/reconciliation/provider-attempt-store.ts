import { Prisma } from '@model-gateway/database';
import { perUnit } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { arrivedFor } from '../partitions/arrival-store.ts';
import type { RequestCursor } from '../usage/request-cursor.ts';
import { storedAttempts, storedParts, UNITS_USED, unitColumns } from '../usage/usage-store.ts';

const estimatedUnits = z.object(perUnit('unit', () => z.int().default(0)));

/** Attempts, with estimates for those whose responses were not used. */
const reconciledAttempts = z.array(
  storedAttempts.element.extend({
    estimatedUnits: estimatedUnits.optional(),
    /** Nano-USD as text, because JSON would round them. */
    estimatedCost: z.string().optional(),
    providerRequestId: z.string().optional(),
  }),
);

const attemptedRows = z.array(
  z.object({
    requestId: z.string(),
    endedAt: z.date(),
    modelId: z.string(),
    priceVersion: z.int().nullable(),
    serviceTier: z.string().nullable(),
    ...unitColumns,
    parts: storedParts.nullable(),
    usageSource: z.string().nullable(),
    billingReason: z.string(),
    isProvisional: z.boolean(),
    held: z.bigint(),
    /** Owed by the payer. */
    cost: z.bigint(),
    /** Charged by the provider. */
    providerCost: z.bigint(),
    /** Null: the request had no attempt at the provider. */
    attempts: reconciledAttempts.nullable(),
  }),
);
export type AttemptedRow = z.infer<typeof attemptedRows>[number];
export type ReconciledAttempt = z.infer<typeof reconciledAttempts>[number];

const upstreamRows = z.array(z.object({ modelId: z.string(), upstreamModels: z.array(z.string()) }));

export interface AttemptQuery {
  providerId: string;
  startMs: number;
  endMs: number;
  limit: number;
  after: RequestCursor | undefined;
}

export class ProviderAttemptStore extends ReadingStore {
  /** Lists one page of all requests, oldest first. Requests of other providers have `attempts` null. */
  async list(
    { after, endMs, limit, providerId, startMs }: AttemptQuery,
    signal: AbortSignal,
  ): Promise<AttemptedRow[]> {
    const at = (ms: number) => Prisma.sql`(${new Date(ms)}::timestamptz AT TIME ZONE 'UTC')`;
    // This is the expression of usage_records_ended_idx, so that Postgres uses the index.
    const ended = Prisma.sql`(r.ended_at AT TIME ZONE 'UTC')`;
    const next =
      after === undefined
        ? Prisma.empty
        : Prisma.sql`AND (${ended}, r.request_id) > (${at(after.endedAtMs)}, ${after.requestId})`;
    const given = JSON.stringify([{ providerId }]);
    return await this.query(attemptedRows, signal)`
      SELECT r.request_id AS "requestId", r.ended_at AS "endedAt", r.model_id AS "modelId",
        r.price_version AS "priceVersion", r.service_tier AS "serviceTier", ${UNITS_USED}, r.parts,
        r.usage_source AS "usageSource", r.billing_reason AS "billingReason",
        r.is_provisional AS "isProvisional", r.held, r.cost,
        coalesce(r.provider_cost, r.cost) AS "providerCost",
        CASE WHEN r.attempts @> ${given}::jsonb THEN r.attempts END AS attempts
      FROM usage_records r
      WHERE ${ended} >= ${at(startMs)} AND ${ended} < ${at(endMs)} AND ${arrivedFor({ startMs, endMs })} ${next}
      ORDER BY ${ended}, r.request_id LIMIT ${limit}`;
  }

  /** Returns the models of a provider, retired ones included, with their names there. */
  async upstreamModels(providerId: string, signal: AbortSignal) {
    return await this.query(upstreamRows, signal)`
      SELECT model_id AS "modelId", array_agg(DISTINCT upstream_model ORDER BY upstream_model) AS "upstreamModels"
      FROM model_upstreams WHERE provider_id = ${providerId} GROUP BY model_id ORDER BY model_id`;
  }
}
