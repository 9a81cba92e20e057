import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { LONG_WAIT_MS } from '@model-gateway/shared';
import { PeriodicReports } from './periodic-reports.ts';
import { MAX_REPORTED, REPORT_INTERVAL_MS, REPORT_TIMEOUT_MS, REPORT_VALID_MS } from './report-limits.ts';
import type { WaitingCalls } from './waiting-calls.ts';

export interface WaitingReportTimings {
  intervalMs: number;
  /** Minimum wait of a reported call. */
  longMs: number;
}

const TIMINGS: WaitingReportTimings = { intervalMs: REPORT_INTERVAL_MS, longMs: LONG_WAIT_MS };

export interface WaitingReportsOptions {
  instanceId: string;
  /** Returns the calls that have waited at least this long, longest first. */
  waiting: (minMs: number) => readonly WaitingCalls[];
  client: ControlPlaneClient;
  timings: WaitingReportTimings | undefined;
  log: Logger;
}

/** Reports which calls wait long for a provider, so that a hanging one is seen before its timeout. */
export function waitingReports(options: WaitingReportsOptions): PeriodicReports<readonly WaitingCalls[]> {
  const { client, instanceId, log, timings = TIMINGS, waiting } = options;
  return new PeriodicReports<readonly WaitingCalls[]>({
    intervalMs: timings.intervalMs,
    collect: () =>
      waiting(timings.longMs)
        .slice(0, MAX_REPORTED)
        .map((calls) => ({ ...calls, longestMs: Math.round(calls.longestMs) })),
    isEmpty: ({ length }) => length === 0,
    send: (waitingCalls) =>
      client.callOnce(REPORT_TIMEOUT_MS, 'catalog', 'reportWaitingCalls', {
        ...{ instanceId, waitingCalls: [...waitingCalls], validMs: REPORT_VALID_MS },
      }),
    failure: 'waiting calls could not be reported',
    log,
  });
}
