import { formatUsd } from '@model-gateway/shared';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { ReportedControlPlane, ReportedDataPlane } from './process-report-store.ts';

const count = z.int().min(0);
const milliseconds = z.int().min(0);

export const dataPlaneState = z.object({
  version: z.string(),
  host: z.string().describe('Host name and port of its API.'),
  started_at: timestamp,
  reported_at: timestamp,
  drained: z.boolean().describe('True: it takes no new requests, because an operator drained it.'),
  open_requests: count,
  open_streams: count,
  requests_per_second: z.number().min(0),
  watch_lag_ms: milliseconds.describe('Time since cached keys were last proven right.'),
  settlement_queue: count.describe('Ended requests that no control plane has acknowledged.'),
  reserved_usd: z.string().describe('Money that running requests hold.'),
  spare_usd: z.string().describe('Money set aside for the next requests.'),
  event_loop_delay_ms: milliseconds.describe('99th percentile of the last seconds.'),
  redis: z.enum(['reachable', 'unreachable', 'none']),
});

export const controlPlane = z.object({
  id: z.string(),
  live: z.boolean().describe('False: it ended unexpectedly, or cannot reach the database.'),
  version: z.string(),
  host: z.string().describe('Host name and port of gRPC.'),
  started_at: timestamp,
  reported_at: timestamp,
  database_latency_ms: milliseconds,
  housekeeping_at: timestamp.nullable().describe('When it last deleted old rows. Null: not yet.'),
  problems: z.array(z.string()).describe('Why it is not ready. Empty: it is.'),
});

export function dataPlaneStateOf({ report, reportedAt }: ReportedDataPlane): z.input<typeof dataPlaneState> {
  const { redisReachable } = report;
  return {
    version: report.version,
    host: report.host,
    started_at: new Date(report.startedAtMs).toISOString(),
    reported_at: reportedAt.toISOString(),
    drained: report.drained,
    open_requests: report.openRequests,
    open_streams: report.openStreams,
    requests_per_second: report.requestsPerSecond,
    watch_lag_ms: report.watchLagMs,
    settlement_queue: report.settlementQueue,
    reserved_usd: formatUsd(BigInt(report.reservedNanoUsd)),
    spare_usd: formatUsd(BigInt(report.spareNanoUsd)),
    event_loop_delay_ms: report.eventLoopDelayMs,
    redis: redisReachable === undefined ? 'none' : redisReachable ? 'reachable' : 'unreachable',
  };
}

export function controlPlaneOf(process: ReportedControlPlane): z.input<typeof controlPlane> {
  const { id, live, report, reportedAt } = process;
  const { housekeepingAtMs } = report;
  return {
    id,
    live,
    version: report.version,
    host: report.host,
    started_at: new Date(report.startedAtMs).toISOString(),
    reported_at: reportedAt.toISOString(),
    database_latency_ms: report.databaseLatencyMs,
    housekeeping_at: optionalTimestamp(housekeepingAtMs === null ? null : new Date(housekeepingAtMs)),
    problems: report.problems,
  };
}
