import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metadata } from '@grpc/grpc-js';

const TRACEPARENT = 'traceparent';

/**
 * The `traceparent` that calls carry. Calls are shared and batched by code that serves many requests, so a
 * parameter would have to pass through all of it.
 */
const current = new AsyncLocalStorage<string>();

/** Runs `start`, whose calls to the control plane then belong to a trace. */
export function callInTrace<Result>(traceparent: string, start: () => Result): Result {
  return current.run(traceparent, start);
}

/** Returns the metadata of a call, with the trace that it belongs to, if any. */
export function withTrace(metadata: Metadata): Metadata {
  const traceparent = current.getStore();
  if (traceparent === undefined) return metadata;
  const traced = metadata.clone();
  traced.set(TRACEPARENT, traceparent);
  return traced;
}

/** Returns the `traceparent` of a call that was received. */
export function presentedTrace(metadata: Metadata): unknown {
  return metadata.get(TRACEPARENT)[0];
}
