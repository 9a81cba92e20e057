import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { LONG_WAIT_MS } from '@model-gateway/shared';
import type { WaitingCalls } from './waiting-calls.ts';

const INTERVAL_MS = 5_000;
const REPORT_PATIENCE_MS = 4_000;
/** A report counts until the next two are overdue. */
const VALID_MS = 3 * INTERVAL_MS;
/** What of it tests make shorter. */
export interface WaitingReportTimings {
  intervalMs: number;
  /** Calls that have waited for less are not told of. */
  longMs: number;
}

const TIMINGS: WaitingReportTimings = { intervalMs: INTERVAL_MS, longMs: LONG_WAIT_MS };

/** More than a catalog usually has, and little enough for one message. */
const MAX_REPORTED = 1_000;

export interface WaitingReportsOptions {
  instanceId: string;
  /** Calls that have waited for so long, those that wait the longest first. */
  waiting: (atLeastMs: number) => readonly WaitingCalls[];
  client: ControlPlaneClient;
  timings: WaitingReportTimings | undefined;
  log: Logger;
}

/**
 * Tells the control plane every few seconds which calls have waited for a provider for long, so that operators and the
 * status page see a provider that hangs before its time-out does. As long as nobody waits, nothing is sent.
 */
export class WaitingReports {
  readonly #options: WaitingReportsOptions;
  readonly #timings: WaitingReportTimings;
  #timer: NodeJS.Timeout | undefined;
  /** The last report has told of some: the next one takes them back. */
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
