import { hostname } from 'node:os';
import { inBackground, type Logger, VERSION } from '@model-gateway/service-kit';
import type { ProcessReportStore } from './process-report-store.ts';

const INTERVAL_MS = 5_000;

export interface ControlPlaneReportsOptions {
  id: string;
  store: Pick<ProcessReportStore, 'reportControlPlane' | 'remove'>;
  log: Logger;
}

/** Stores the state of this process every few seconds, for the console. */
export class ControlPlaneReports {
  readonly #options: ControlPlaneReportsOptions;
  readonly #startedAtMs = Math.round(Date.now() - process.uptime() * 1_000);
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #databaseLatencyMs = 0;
  #housekeepingAtMs: number | null = null;

  constructor(options: ControlPlaneReportsOptions) {
    this.#options = options;
  }

  /** @param port of gRPC @param problems returns the reasons why this process is not ready */
  start(port: number, problems: () => string[]): void {
    const host = `${hostname()}:${port}`;
    const report = () => {
      this.#running = this.#running.then(() => this.#report(host, problems()));
      inBackground(this.#running);
    };
    report();
    this.#timer = setInterval(report, INTERVAL_MS);
  }

  /** Called when old rows were deleted. */
  housekeepingDone(): void {
    this.#housekeepingAtMs = Date.now();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    const { id, log, store } = this.#options;
    await store.remove(id).catch((error: unknown) => log.debug({ error }, 'cannot remove the own report'));
  }

  async #report(host: string, problems: string[]): Promise<void> {
    const { id, log, store } = this.#options;
    const startedAtMs = performance.now();
    try {
      await store.reportControlPlane(id, {
        version: VERSION,
        host,
        startedAtMs: this.#startedAtMs,
        databaseLatencyMs: this.#databaseLatencyMs,
        housekeepingAtMs: this.#housekeepingAtMs,
        problems,
      });
      this.#databaseLatencyMs = Math.round(performance.now() - startedAtMs);
    } catch (error) {
      log.debug({ error }, 'the own state could not be stored');
    }
  }
}
