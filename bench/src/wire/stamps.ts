import { z } from 'zod';

/** The number of a request, from the load generator. The gateway ignores this header. */
export const REQUEST_HEADER = 'x-bench-request';
/** Times at which the provider got the request and sent the response, if the request's plan asks for them. */
export const TIMES_HEADER = 'x-bench-times';
/** The name of a stream in the plan of such a request. */
export const STAMPED = 'stamped';

/** Moments of a request in the gateway, by the shared clock in microseconds. */
export const gatewayStamps = z.object({
  /** Node has parsed the headers. */
  arrived: z.number(),
  redisSent: z.number(),
  redisDone: z.number(),
  /** Undici has written the head of the request to the provider. */
  upstreamSent: z.number(),
  providerGot: z.number(),
  providerSent: z.number(),
  /** Undici has the head of the provider's response. */
  upstreamHead: z.number(),
  /** The kernel has the whole response. */
  finished: z.number(),
});
export type GatewayStamps = z.infer<typeof gatewayStamps>;

/** The report of a data plane that records these moments (programs/trace-requests.ts). */
export const gatewayTrace = z.object({
  /** By number of the request. */
  requests: z.record(z.string(), gatewayStamps.partial()),
  /** Pauses for garbage collection: start and end, by the shared clock in microseconds. */
  pauses: z.array(z.tuple([z.number(), z.number()])),
  /** How late timers were, in milliseconds. */
  loopDelay: z.object({ p50: z.number(), p99: z.number(), max: z.number() }),
});
export type GatewayTrace = z.infer<typeof gatewayTrace>;

/** Asks a data plane for its trace, over its IPC channel. */
export const TRACE = 'trace';
