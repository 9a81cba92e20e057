import { z } from 'zod';
import { shownUnits, usd } from './usage.ts';

/** GET /api/requests/:requestId */
export const receiptResponse = z.object({
  requestId: z.string(),
  endedAtMs: z.number(),
  model: z.string(),
  capability: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  keyKind: z.enum(['issued', 'playground', 'demo']),
  /** The team of the seat that made the request; null: none. */
  teamId: z.string().nullable(),
  /** Values by name, of the key and of the request. */
  tags: z.record(z.string(), z.string()),
  endUser: z.string().nullable(),
  session: z.string().nullable(),
  /** Key that kept the request with one credential or upstream: session, prefix or none. Null: unknown. */
  affinity: z.string().nullable(),
  /** Ids of the budgets that the request had to fit into. */
  budgets: z.array(z.string()),
  units: shownUnits,
  /** provider, gateway or estimated; null: nothing was consumed. */
  usageSource: z.string().nullable(),
  billingReason: z.enum(['completed', 'aborted_partial', 'upstream_failed_free', 'estimated', 'cache_hit']),
  /** The status that the caller got; 499: the caller had disconnected. Null: unknown. */
  status: z.number().nullable(),
  /** The error code of that response, or of the event that ended a stream; null: no error. */
  errorCode: z.string().nullable(),
  /** Null: free of charge. */
  priceVersion: z.number().nullable(),
  /** Undefined: the provider's default tier. */
  serviceTier: z.string().optional(),
  /** US dollars by the catalog's price names; prices of a tier as tiers.200000.input_per_million_usd. */
  pricing: z.record(z.string(), usd),
  /** Units without a price of their own, by their names in the API. */
  unpriced: z.array(z.string()),
  /** Usage by model, if several models took part. Empty: only `model`. */
  parts: z.array(z.object({ model: z.string(), units: shownUnits, costUsd: usd })),
  heldUsd: usd,
  /** cost = charged + uncollected */
  costUsd: usd,
  chargedUsd: usd,
  uncollectedUsd: usd,
  /** By the clock of the gateway that took the request; null: not known. */
  arrivedAtMs: z.number().nullable(),
  /** Null: not known. */
  settledAtMs: z.number().nullable(),
  debits: z.array(z.object({ poolId: z.string(), name: z.string(), scope: z.string(), amountUsd: usd })),
  attempts: z.array(
    z.object({
      provider: z.string(),
      /** The model of this attempt: the requested one, or a fallback. */
      model: z.string(),
      /** The provider's status. */
      httpStatus: z.number().nullable(),
      errorCode: z.string().nullable(),
      /** The provider's error, such as `answered 404: no such model`. Null: unknown, or no failure. */
      error: z.string().nullable(),
      /** By the clock of the gateway that took the request; null: not recorded. */
      startedAtMs: z.number().nullable(),
      durationMs: z.number(),
      /** Null: no stream, or no token. */
      timeToFirstTokenMs: z.number().nullable(),
    }),
  ),
});
export type ReceiptResponse = z.infer<typeof receiptResponse>;
