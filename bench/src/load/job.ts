import { z } from 'zod';

/** What the load generator is asked to do, and what it answers; plain values, because they cross a process border. */

export const traffic = z.object({
  origin: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** One API key a line, taken in turn; without it the headers say all. */
  keysFile: z.string().optional(),
  order: z.enum(['cycle', 'random']).default('cycle'),
  /** Taken in turn. */
  bodies: z.array(z.string()).min(1),
  expectStatus: z.int().default(200),
  /** A header without which an answer counts as a failure. */
  expectHeader: z.string().optional(),
});
export type Traffic = z.infer<typeof traffic>;

export const closedLoopJob = z.object({
  kind: z.literal('closed'),
  traffic,
  connections: z.int().min(1),
  warmUpMs: z.number(),
  measureMs: z.number(),
  /** Ends after so many answers instead of a time. */
  requests: z.int().optional(),
  /** Of the process whose CPU time is taken. */
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
});
export type OpenLoopJob = z.input<typeof openLoopJob>;

export const streamsJob = z.object({
  kind: z.literal('streams'),
  /** Its one body is a request for a stream; each stream gets a name of its own. */
  traffic,
  streams: z.int().min(1),
  /** How many streams follow each other at each place. */
  turns: z.int().min(1),
  /** The places begin one after the other within this time. */
  rampMs: z.number(),
  chunks: z.int().min(1),
  intervalMs: z.number(),
  /** Only what arrives between these times after the start is measured; all of it is compared. */
  measureFromMs: z.number().default(0),
  measureToMs: z.number().optional(),
  /** Starts the names of the streams. */
  prefix: z.string(),
  pid: z.int().optional(),
});
export type StreamsJob = z.input<typeof streamsJob>;

export const loadJob = z.discriminatedUnion('kind', [closedLoopJob, openLoopJob, streamsJob]);
export type LoadJob = z.output<typeof loadJob>;

const NOTHING = { mean: Number.NaN, p50: Number.NaN, p99: Number.NaN, p999: Number.NaN, max: Number.NaN };

/** Milliseconds; where nothing was recorded, NaN, which no table and no difference takes for a number. */
export const latency = z
  .object({
    count: z.int(),
    mean: z.number(),
    p50: z.number(),
    p99: z.number(),
    p999: z.number(),
    max: z.number(),
  })
  .transform((found) => (found.count > 0 ? found : { ...found, ...NOTHING }));
export type Latency = z.infer<typeof latency>;

/** How often each way of failing occurred: `status 429`, `no x-ratelimit-limit-requests`, `ECONNRESET`. */
const failures = z.record(z.string(), z.int());

export const loadResult = z.object({
  /** All that were right, before and after the measured time, too. */
  answers: z.int(),
  failures,
  /** Right ones that ended in the measured time. */
  measured: z.int(),
  seconds: z.number(),
  /** Bytes of all bodies of `answers`. */
  bytes: z.number(),
  latency,
});
export type LoadResult = z.infer<typeof loadResult>;

export const closedLoopResult = loadResult.extend({
  /** Of the process and its children in the measured time. */
  cpuMs: z.number().optional(),
});
export const openLoopResult = loadResult.extend({
  /** How long after the intended time the generator got to a request: what it adds itself. */
  sendDelay: latency,
});
export const streamsResult = loadResult.extend({
  /** From sending the request to the first chunk. */
  firstChunk: latency,
  /** Between the chunks of a stream. */
  gap: latency,
  /** From the provider's write to the arrival. */
  transit: latency,
  chunks: z.int(),
  mostOpen: z.int(),
  /** Bytes received and their checksum, by name. */
  received: z.record(z.string(), z.tuple([z.number(), z.number()])),
  cpuMs: z.number().optional(),
});
export type ClosedLoopResult = z.infer<typeof closedLoopResult>;
export type OpenLoopResult = z.infer<typeof openLoopResult>;
export type StreamsResult = z.infer<typeof streamsResult>;
