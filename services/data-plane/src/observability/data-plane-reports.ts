import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DataPlaneReportMessage } from '@model-gateway/contracts';
import { VERSION } from '@model-gateway/service-kit';
import type { AllowanceTotals } from '../billing/allowance-metrics.ts';

const INTERVAL_MS = 5_000;
/** Figures over less time say little: a report soon after another repeats them. */
const MIN_SPAN_MS = 1_000;
const RESOLUTION_MS = 20;
const NANOSECONDS_PER_MS = 1_000_000;

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** Figures that other parts of the process know at any time. */
export type KnownFigures = Omit<
  DataPlaneReportMessage,
  'version' | 'host' | 'startedAtMs' | 'requestsPerSecond' | 'eventLoopDelayMs'
>;

export interface DataPlaneReportsOptions {
  read: () => KnownFigures;
  /** Returns the number of responses so far. */
  responses: () => number;
  send: (report: DataPlaneReportMessage) => void;
}

/** Reports the state of this process to the control plane every few seconds, for the console. */
export class DataPlaneReports {
  readonly #options: DataPlaneReportsOptions;
  readonly #startedAtMs = String(Math.round(Date.now() - process.uptime() * 1_000));
  #delays: DelayHistogram | undefined;
  #timer: NodeJS.Timeout | undefined;
  #host = '';
  #measured = { atMs: performance.now(), responses: 0, perSecond: 0, delayMs: 0 };

  constructor(options: DataPlaneReportsOptions) {
    this.#options = options;
  }

  /** @param port of the API */
  start(port: number): void {
    this.#host = `${hostname()}:${port}`;
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delays.enable();
    this.#timer = setInterval(() => this.send(), INTERVAL_MS);
    this.send();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delays?.disable();
    this.#delays = undefined;
  }

  /** Sends a report now. Does nothing before the start and after the end. */
  send(): void {
    const delays = this.#delays;
    if (delays === undefined) return;
    this.#measure(delays);
    this.#options.send({
      ...this.#options.read(),
      version: VERSION,
      host: this.#host,
      startedAtMs: this.#startedAtMs,
      requestsPerSecond: this.#measured.perSecond,
      eventLoopDelayMs: this.#measured.delayMs,
    });
  }

  #measure(delays: DelayHistogram): void {
    const atMs = performance.now();
    const spanMs = atMs - this.#measured.atMs;
    if (spanMs < MIN_SPAN_MS) return;
    const responses = this.#options.responses();
    const perSecond = ((responses - this.#measured.responses) / spanMs) * 1_000;
    // The histogram measures the time between two ticks of its own timer.
    const betweenMs = delays.count === 0 ? 0 : delays.percentile(99) / NANOSECONDS_PER_MS;
    delays.reset();
    this.#measured = {
      atMs,
      responses,
      perSecond,
      delayMs: Math.max(0, Math.round(betweenMs - RESOLUTION_MS)),
    };
  }
}

const MAX_MS = 2 ** 32 - 1;

/** Returns whole milliseconds that fit into the message: a lag is infinite before the first proof. */
export function boundedMs(milliseconds: number): number {
  return Math.min(MAX_MS, Math.round(milliseconds));
}

interface MoneyParts {
  allowances: { readonly totals: Pick<AllowanceTotals, 'reserved' | 'spare'> };
  settlement: { readonly pending: number };
}

export function moneyFigures({ allowances, settlement }: MoneyParts) {
  const { reserved, spare } = allowances.totals;
  return {
    settlementQueue: settlement.pending,
    reservedNanoUsd: String(reserved),
    spareNanoUsd: String(spare),
  };
}
