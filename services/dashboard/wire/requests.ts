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

/**
 * How a request ended: completed, interrupted (the client went away), failed (a provider got it and gave no answer, free
 * of charge), refused (no provider got it).
 */
export const requestOutcome = z.enum(['completed', 'interrupted', 'failed', 'refused']);
export type RequestOutcome = z.infer<typeof requestOutcome>;

export const requestEntry = z.object({
  /** Of what was refused it only tells entries apart: there is no receipt of that. */
  requestId: z.string(),
  endedAtMs: z.number(),
  /** Empty: refused before the model was known. */
  model: z.string(),
  capability: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  keyKind: z.enum(['issued', 'playground', 'demo']),
  outcome: requestOutcome,
  /** What the caller was answered; 499: it had left before that. Null: not known. */
  status: z.number().nullable(),
  /** Of that answer, or of the event that ended a stream; null: no error. */
  errorCode: z.string().nullable(),
  /** What the provider's last answer was; null: none. */
  httpStatus: z.number().nullable(),
  /** Set: the entry stands for requests that were refused alike within an hour, the last of them when it says. */
  refused: z.object({ count: z.number(), firstAtMs: z.number() }).nullable(),
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
