import { inBackground, type Logger } from '@model-gateway/service-kit';

export interface PeriodicReportsOptions<Report> {
  intervalMs: number;
  /** Returns the current report. */
  collect: () => Report;
  isEmpty: (report: Report) => boolean;
  /** Sends a report, which replaces the last one. */
  send: (report: Report) => Promise<unknown>;
  /** Logged if a report cannot be sent. */
  failure: string;
  log: Logger;
}

/** Reports to the control plane every few seconds. Sends nothing while there is nothing to report. */
export class PeriodicReports<Report> {
  readonly #options: PeriodicReportsOptions<Report>;
  #timer: NodeJS.Timeout | undefined;
  /** True if the last report had entries, which the next one must replace. */
  #hasReported = false;
  #isClosed = false;

  constructor(options: PeriodicReportsOptions<Report>) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      const reported = this.#report().finally(() => {
        if (!this.#isClosed) this.start();
      });
      inBackground(reported);
    }, this.#options.intervalMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #report(): Promise<void> {
    const { collect, failure, isEmpty, log, send } = this.#options;
    const report = collect();
    if (isEmpty(report) && !this.#hasReported) return;
    try {
      await send(report);
      this.#hasReported = !isEmpty(report);
    } catch (error) {
      log.debug({ error }, failure);
    }
  }
}
