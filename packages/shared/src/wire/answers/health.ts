import { z } from 'zod';

/** What GET /health answers while the process serves. */
export const health = z.object({
  status: z.literal('ok'),
  service: z.string(),
  version: z.string(),
  uptime_seconds: z.int().min(0),
});
export type Health = z.infer<typeof health>;
