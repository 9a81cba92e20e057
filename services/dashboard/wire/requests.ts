import { z } from 'zod';
import { periodQuery, usd } from './usage.ts';

/** GET /api/requests: newest first. */
export const requestsQuery = periodQuery.extend({
  model: z.string().min(1).max(200).optional(),
  /** An id as in byKey of /api/usage; `playground` stands for all chats of the playground. */
  keyId: z.string().min(1).max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The nextPage of the previous response. */
  page: z.string().min(1).max(200).optional(),
});
export type RequestsQuery = z.input<typeof requestsQuery>;

/**
 * completed, interrupted (the client disconnected), failed (no provider returned a usable response; free), or
 * refused (it reached no provider).
 */
export const requestOutcome = z.enum(['completed', 'interrupted', 'failed', 'refused']);
export type RequestOutcome = z.infer<typeof requestOutcome>;

export const requestEntry = z.object({
  /** Refused requests have no receipt: their id only tells entries apart. */
  requestId: z.string(),
  endedAtMs: z.number(),
  /** Empty: the request was refused before the model was known. */
  model: z.string(),
  capability: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  keyKind: z.enum(['issued', 'playground', 'demo']),
  outcome: requestOutcome,
  /** The status that the caller got; 499: the caller had disconnected. Null: unknown. */
  status: z.number().nullable(),
  /** The error code of that response, or of the event that ended a stream; null: no error. */
  errorCode: z.string().nullable(),
  /** The status of the provider's last response; null: none. */
  httpStatus: z.number().nullable(),
  /** If set, the entry stands for `count` equal refusals within an hour; other fields are of the last one. */
  refused: z.object({ count: z.number(), firstAtMs: z.number() }).nullable(),
  latencyMs: z.number(),
  /** Streams only. */
  timeToFirstTokenMs: z.number().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: usd,
  /** Values by name, of the key and of the request. */
  tags: z.record(z.string(), z.string()),
  endUser: z.string().nullable(),
  session: z.string().nullable(),
});
export type RequestEntry = z.infer<typeof requestEntry>;

export const requestsResponse = z.object({
  requests: z.array(requestEntry),
  nextPage: z.string().nullable(),
});
export type RequestsResponse = z.infer<typeof requestsResponse>;
