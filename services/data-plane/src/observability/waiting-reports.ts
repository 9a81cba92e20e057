import type { ControlPlaneClient } from '@model-gateway/contracts';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import { LONG_WAIT_MS } from '@model-gateway/shared';
import type { WaitingCalls } from './waiting-calls.ts';

const INTERVAL_MS = 5_000;
const REPORT_TIMEOUT_MS = 4_000;
/** A report expires when the next two are overdue. */
const VALID_MS = 3 * INTERVAL_MS;

export interface WaitingReportTimings {
  intervalMs: number;
  /** Minimum wait of a reported call. */
  longMs: number;
}

const TIMINGS: WaitingReportTimings = { intervalMs: INTERVAL_MS, longMs: LONG_WAIT_MS };

/** More entries than a catalog usually needs, but few enough for one message. */
const MAX_REPORTED = 1_000;

export interface WaitingReportsOptions {
  instanceId: string;
  /** Returns the calls that have waited at least this long, longest first. */
  waiting: (minMs: number) => readonly WaitingCalls[];
  client: ControlPlaneClient;
  timings: WaitingReportTimings | undefined;
  log: Logger;
}

/**
 * Reports to the control plane every few seconds which calls wait long for a provider, so that the status
 * page shows a hanging provider before its timeout. Silent while nothing waits.
 */
export class WaitingReports {
  readonly #options: WaitingReportsOptions;
  readonly #timings: WaitingReportTimings;
  #timer: NodeJS.Timeout | undefined;
  /** True if the last report had entries, which the next one must replace. */
  #hasReported = false;
  #isClosed = false;

  constructor(options: WaitingReportsOptions) {
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      const reported = this.#report().finally(() => {
        if (!this.#isClosed) this.start();
      });
      inBackground(reported);
    }, this.#timings.intervalMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #report(): Promise<void> {
    const { client, instanceId, log, waiting } = this.#options;
    const waitingCalls = waiting(this.#timings.longMs)
      .slice(0, MAX_REPORTED)
      .map((calls) => ({ ...calls, longestMs: Math.round(calls.longestMs) }));
    if (waitingCalls.length === 0 && !this.#hasReported) return;
    try {
      await client.callOnce(REPORT_TIMEOUT_MS, 'catalog', 'reportWaitingCalls', {
        instanceId,
        waitingCalls,
        validMs: VALID_MS,
      });
      this.#hasReported = waitingCalls.length > 0;
    } catch (error) {
      log.debug({ error }, 'waiting calls could not be reported');
    }
  }
}
