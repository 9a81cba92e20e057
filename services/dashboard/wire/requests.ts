import { z } from 'zod';
import { periodQuery, usd } from './usage.ts';

/** GET /api/requests: newest first. */
export const requestsQuery = periodQuery.extend({
  model: z.string().min(1).max(200).optional(),
  /** As in byKey of /api/usage: `playground` for all chats of the playground. */
  keyId: z.string().min(1).max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** nextPage of the last answer. */
  page: z.string().min(1).max(200).optional(),
});
export type RequestsQuery = z.input<typeof requestsQuery>;

/** How a request ended: completed, interrupted (the client went away), failed (the provider's fault, free of charge). */
export const requestOutcome = z.enum(['completed', 'interrupted', 'failed']);
export type RequestOutcome = z.infer<typeof requestOutcome>;

export const requestEntry = z.object({
  requestId: z.string(),
  endedAtMs: z.number(),
  model: z.string(),
  capability: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  keyKind: z.enum(['issued', 'playground', 'demo']),
  outcome: requestOutcome,
  /** What the provider's last answer was; null: none. */
  httpStatus: z.number().nullable(),
  errorCode: z.string().nullable(),
  latencyMs: z.number(),
  /** Streams only. */
  timeToFirstTokenMs: z.number().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: usd,
});
export type RequestEntry = z.infer<typeof requestEntry>;

export const requestsAnswer = z.object({
  requests: z.array(requestEntry),
  nextPage: z.string().nullable(),
});
export type RequestsAnswer = z.infer<typeof requestsAnswer>;
