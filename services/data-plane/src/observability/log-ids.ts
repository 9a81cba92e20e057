import type { RequestRecord } from '../request-record.ts';

/** Returns the members of a log line that lead to its request and, while tracing is on, to its span. */
export function logIds({ id, trace }: Pick<RequestRecord, 'id' | 'trace'>) {
  return { request_id: id, trace_id: trace?.traceId, span_id: trace?.spanId };
}
