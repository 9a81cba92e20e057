import { z } from 'zod';

const count = z.int().min(0);
/** 64-bit numbers arrive as texts. */
const nanoUsd = z.string().regex(/^\d{1,20}$/);
const unixMs = z.coerce.number<string | number>().min(0).max(8.64e15);
const named = { version: z.string().max(100), host: z.string().max(300), startedAtMs: unixMs };

/** State that a data plane reports about itself. */
export const dataPlaneReport = z.object({
  ...named,
  /** True: it is out of traffic, as ordered. */
  drained: z.boolean(),
  openRequests: count,
  openStreams: count,
  /** Responses per second since the report before. */
  requestsPerSecond: z.number().min(0),
  /** Time since cached keys were last proven right. */
  watchLagMs: count,
  /** Ended requests that no control plane has acknowledged. */
  settlementQueue: count,
  /** Held by running requests. */
  reservedNanoUsd: nanoUsd,
  /** Set aside for the next requests. */
  spareNanoUsd: nanoUsd,
  /** 99th percentile since the report before. */
  eventLoopDelayMs: count,
  /** Undefined: it has no Redis. */
  redisReachable: z.boolean().optional(),
});
export type DataPlaneReport = z.infer<typeof dataPlaneReport>;

/** State that a control plane reports about itself. */
export const controlPlaneReport = z.object({
  ...named,
  /** Time of its last statement of this kind. */
  databaseLatencyMs: count,
  /** When old rows were last deleted; null: not yet. */
  housekeepingAtMs: unixMs.nullable(),
  /** Reasons why it is not ready; empty: it is. */
  problems: z.array(z.string()),
});
export type ControlPlaneReport = z.infer<typeof controlPlaneReport>;
