import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metadata } from '@grpc/grpc-js';

const TRACEPARENT = 'traceparent';

/** Returns the `traceparent` of a call that is made now; undefined: it belongs to no trace. */
export type TraceparentOf = () => string | undefined;

/**
 * Calls are shared and batched by code that serves many requests, so a parameter would have to pass through
 * all of it. A function, because timers and loops that a request has started live on after it.
 */
const current = new AsyncLocalStorage<TraceparentOf>();

/** Runs `start`, whose calls to the control plane carry what `traceparentOf` then returns. */
export function callInTrace<Result>(traceparentOf: TraceparentOf, start: () => Result): Result {
  return current.run(traceparentOf, start);
}

/** Returns the metadata of a call, with the trace that it belongs to, if any. */
export function withTrace(metadata: Metadata): Metadata {
  const traceparent = current.getStore()?.();
  if (traceparent === undefined) return metadata;
  const traced = metadata.clone();
  traced.set(TRACEPARENT, traceparent);
  return traced;
}

/** Returns the `traceparent` of a call that was received. */
export function presentedTrace(metadata: Metadata): unknown {
  return metadata.get(TRACEPARENT)[0];
}
