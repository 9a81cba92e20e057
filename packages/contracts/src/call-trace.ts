import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metadata } from '@grpc/grpc-js';

const TRACEPARENT = 'traceparent';

/** The trace of the calls that are made on behalf of a request. */
export interface CallTrace {
  /** Returns the `traceparent` of a call that is made now; undefined: it belongs to no trace. */
  traceparent(): string | undefined;
}

/**
 * Calls are shared and batched by code that serves many requests, so a parameter would have to pass through
 * all of it. Timers and loops that a request has started see it even after the request.
 */
const current = new AsyncLocalStorage<CallTrace>();

/** Runs `start`, whose calls to the control plane carry the `traceparent` that the trace then returns. */
export function callInTrace<Result>(trace: CallTrace, start: () => Result): Result {
  return current.run(trace, start);
}

/** Returns the metadata of a call, with the trace that it belongs to, if any. */
export function withTrace(metadata: Metadata): Metadata {
  const traceparent = current.getStore()?.traceparent();
  if (traceparent === undefined) return metadata;
  const traced = metadata.clone();
  traced.set(TRACEPARENT, traceparent);
  return traced;
}

/** Returns the `traceparent` of a call that was received. */
export function presentedTrace(metadata: Metadata): unknown {
  return metadata.get(TRACEPARENT)[0];
}
