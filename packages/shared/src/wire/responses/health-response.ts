import { z } from 'zod';

/** The answer of GET /health while the process serves. */
export const health = z.object({
  status: z.literal('ok'),
  service: z.string(),
  version: z.string(),
  uptime_seconds: z.int().min(0),
});
export type Health = z.infer<typeof health>;
