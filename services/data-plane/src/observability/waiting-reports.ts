import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { LONG_WAIT_MS } from '@model-gateway/shared';
import type { WaitingCalls } from './waiting-calls.ts';

const INTERVAL_MS = 5_000;
const REPORT_PATIENCE_MS = 4_000;
/** A report is valid until the next two are overdue. */
const VALID_MS = 3 * INTERVAL_MS;
/** The times that tests make shorter. */
export interface WaitingReportTimings {
  intervalMs: number;
  /** Calls that have waited for less are not reported. */
  longMs: number;
}

const TIMINGS: WaitingReportTimings = { intervalMs: INTERVAL_MS, longMs: LONG_WAIT_MS };

/** More entries than a catalog usually needs, and few enough for one message. */
const MAX_REPORTED = 1_000;

export interface WaitingReportsOptions {
  instanceId: string;
  /** Finds the calls that have waited for at least so long, the longest waiting first. */
  waiting: (atLeastMs: number) => readonly WaitingCalls[];
  client: ControlPlaneClient;
  timings: WaitingReportTimings | undefined;
  log: Logger;
}

/**
 * Tells the control plane every few seconds which calls have waited long for a provider, so that operators
 * and the status page see a hanging provider before its time-out. While nothing waits, nothing is sent.
 */
export class WaitingReports {
  readonly #options: WaitingReportsOptions;
  readonly #timings: WaitingReportTimings;
  #timer: NodeJS.Timeout | undefined;
  /** True if the last report had entries: then the next one must take them back. */
  #hasTold = false;
  #isClosed = false;

  constructor(options: WaitingReportsOptions) {
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
  }

  start(): void {
    this.#timer = setTimeout(async () => {
      await this.#report();
      if (!this.#isClosed) this.start();
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
      .map((of) => ({ ...of, longestMs: Math.round(of.longestMs) }));
    if (waitingCalls.length === 0 && !this.#hasTold) return;
    try {
      await client.callOnce(REPORT_PATIENCE_MS, 'catalog', 'reportWaitingCalls', {
        instanceId,
        waitingCalls,
        validMs: VALID_MS,
      });
      this.#hasTold = waitingCalls.length > 0;
    } catch (error) {
      log.debug({ error }, 'waiting calls could not be reported');
    }
  }
}
