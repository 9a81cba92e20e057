import type { Tracer } from '@model-gateway/telemetry';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { RequestTrace } from '../request-trace.ts';

export interface TracingOptions extends Tracer {
  /** OTEL_IDENTITIES: spans name accounts, keys, end users and tags. */
  showsIdentities: boolean;
  /** OTEL_CONTENTS: spans carry the contents that are stored anyway. */
  showsContents: boolean;
  /** OTEL_SLOW_REQUEST_MS; 0: none is slow. */
  slowMs: number;
  /** OTEL_CALLER_TRACES_PER_SECOND. */
  callerTracesPerSecond: number;
  /** Finds a provider of the catalog. */
  provider: (id: string) => Pick<RoutedProvider, 'kind' | 'origin'> | undefined;
}

/** The end of a request. */
export interface Ended {
  method: string;
  status: number;
  /** By `performance.now()`, as all times of a record. */
  endedAtMs: number;
}

/** The reason for which a request is exported. */
export type KeptBecause = 'sampled' | 'error' | 'slow';

/** Parts that all spans of one request share. */
export interface SpanContext
  extends Pick<TracingOptions, 'names' | 'showsIdentities' | 'showsContents' | 'provider'> {
  trace: RequestTrace;
  ended: Ended;
  /** Unix milliseconds at the zero of `performance.now()`. */
  epochMs: number;
  keptBecause: KeptBecause;
}

/** Returns what all spans of a request share. */
export function idsOf({ isSampled, traceId, traceState }: RequestTrace) {
  return { traceId, traceState, isSampled };
}
