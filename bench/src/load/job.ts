import { z } from 'zod';

/** The jobs of the load generator and their results, which cross a process boundary. */

export const traffic = z.object({
  origin: z.string(),
  path: z.string(),
  method: z.enum(['GET', 'POST']).default('POST'),
  headers: z.record(z.string(), z.string()),
  /** A file with one API key per line, used in turn. Without it, the headers are complete. */
  keysFile: z.string().optional(),
  order: z.enum(['cycle', 'random']).default('cycle'),
  /** Sends this many client addresses in turn, as a load balancer does. */
  addresses: z.int().min(1).optional(),
  /** Used in turn. A GET has none. */
  bodies: z.array(z.string()).min(1),
  expectStatus: z.int().default(200),
  /** An answer without this header counts as a failure. */
  expectHeader: z.string().optional(),
});
export type Traffic = z.infer<typeof traffic>;

export const closedLoopJob = z.object({
  kind: z.literal('closed'),
  traffic,
  connections: z.int().min(1),
  warmUpMs: z.number(),
  measureMs: z.number(),
  /** Ends after this many responses, instead of after a time. */
  requests: z.int().optional(),
  /** The process whose CPU time is measured. */
  pid: z.int().optional(),
});
export type ClosedLoopJob = z.input<typeof closedLoopJob>;

export const openLoopJob = z.object({
  kind: z.literal('open'),
  traffic,
  connections: z.int().min(1),
  perSecond: z.number().positive(),
  warmUpMs: z.number(),
  measureMs: z.number(),
  /** Sends the number of each request in a header, and reports its times. */
  stamped: z.boolean().default(false),
});
export type OpenLoopJob = z.input<typeof openLoopJob>;

export const streamsJob = z.object({
  kind: z.literal('streams'),
  /** Its only body requests a stream. Each stream gets its own name. */
  traffic,
  streams: z.int().min(1),
  /** The streams start one after the other within this time. */
  rampMs: z.number(),
  chunks: z.int().min(1),
  intervalMs: z.number(),
  /**
   * Only chunks that arrive between these times after the start are measured, and the CPU time between them;
   * all chunks are compared.
   */
  measureFromMs: z.number().default(0),
  measureToMs: z.number().optional(),
  /** The names of the streams begin with this. */
  prefix: z.string(),
  pid: z.int().optional(),
});
export type StreamsJob = z.input<typeof streamsJob>;

export const loadJob = z.discriminatedUnion('kind', [closedLoopJob, openLoopJob, streamsJob]);
export type LoadJob = z.output<typeof loadJob>;

const NOTHING = {
  mean: Number.NaN,
  p50: Number.NaN,
  p95: Number.NaN,
  p99: Number.NaN,
  p999: Number.NaN,
  max: Number.NaN,
};

/** In milliseconds; NaN if nothing was recorded. */
export const latency = z
  .object({
    count: z.int(),
    mean: z.number(),
    p50: z.number(),
    p95: z.number(),
    p99: z.number(),
    p999: z.number(),
    max: z.number(),
  })
  .transform((found) => (found.count > 0 ? found : { ...found, ...NOTHING }));
export type Latency = z.infer<typeof latency>;

/** Failures by kind: `status 429`, `no x-ratelimit-limit-requests`, `ECONNRESET`. */
const failures = z.record(z.string(), z.int());

export const loadResult = z.object({
  /** All correct responses, including those before and after the measured time. */
  answers: z.int(),
  failures,
  /** The correct responses that ended in the measured time. */
  measured: z.int(),
  seconds: z.number(),
  /** The bytes of the bodies of all `answers`. */
  bytes: z.number(),
  latency,
});
export type LoadResult = z.infer<typeof loadResult>;

export const closedLoopResult = loadResult.extend({
  /** The CPU time of the process and its children in the measured time. */
  cpuMs: z.number().optional(),
});
export const openLoopResult = loadResult.extend({
  /** How late the generator sent requests. */
  sendDelay: latency,
  /** Number of each measured request, and when it was due, sent and answered: shared clock, microseconds. */
  times: z.array(z.tuple([z.int(), z.number(), z.number(), z.number()])),
});
export const streamsResult = loadResult.extend({
  /** From sending the request to the first chunk. */
  firstChunk: latency,
  /** Between the chunks of a stream. */
  gap: latency,
  /** From the provider's write to the arrival here. */
  transit: latency,
  /** How many arrived in all; `measuredChunks`: in the measured time. */
  chunks: z.int(),
  measuredChunks: z.int(),
  mostOpen: z.int(),
  /** The bytes received and their checksum, by name of the stream. */
  received: z.record(z.string(), z.tuple([z.number(), z.number()])),
  /** The CPU time of the process and its children in the measured time. */
  cpuMs: z.number().optional(),
});
export type ClosedLoopResult = z.infer<typeof closedLoopResult>;
export type OpenLoopResult = z.infer<typeof openLoopResult>;
export type StreamsResult = z.infer<typeof streamsResult>;
