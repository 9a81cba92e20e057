import { z } from 'zod';

/** Latest attempts that a delivery keeps. */
export const KEPT_ATTEMPTS = 20;

/** Attempt to deliver an event, as it is stored. */
export const attempt = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  duration_ms: z.int(),
  /** Status of the response; null: there was none. */
  status: z.int().nullable(),
  /** Null: it succeeded. */
  error: z.string().nullable(),
  /** First characters of the response's body; null: there was no response. */
  response: z.string().nullable(),
});
export type Attempt = z.infer<typeof attempt>;
