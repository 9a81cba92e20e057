import type { SettledRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';

/** How an attempt ended. Only `failed` speaks against the provider. */
const outcome = z.enum(['completed', 'failed', 'client_gone', 'cut']);
/** Ids become part of an index; Postgres has no NUL in texts. */
const id = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');
const durationMs = z.number().nonnegative();

/** A request that has ended, as a data plane reports it. */
const settledRequest = z.object({
  requestId: id,
  modelId: id,
  attempts: z
    .array(
      z.object({
        providerId: id,
        outcome,
        latencyMs: durationMs,
        timeToFirstTokenMs: durationMs.optional(),
        /** Unix milliseconds. */
        endedAtMs: z.string().transform(Number).pipe(z.int().positive()),
      }),
    )
    .min(1)
    .max(100),
});

export type SettledRequest = z.infer<typeof settledRequest>;

/** @returns undefined for one that can never be stored */
export function parseSettledRequest(message: SettledRequestMessage): SettledRequest | undefined {
  return settledRequest.safeParse(message).data;
}
