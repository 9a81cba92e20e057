import { setTimeout as wait } from 'node:timers/promises';
import {
  type ControlPlaneClient,
  openSettleUsage,
  ReopeningStream,
  type SettleAckMessage,
} from '@model-gateway/contracts';
import {
  type Logger,
  listeningMs,
  type Patience,
  PatientTimer,
  type Registry,
  withPatience,
} from '@model-gateway/service-kit';
import { SettleBatchMessage } from './settle-batch-message.ts';
import type { SettledRequest } from './settled-request.ts';
import { createSettlementMetrics, type SettlementMetrics } from './settlement-metrics.ts';
import {
  SETTLEMENT_BOUNDS,
  type SettlementBatch,
  type SettlementBounds,
  SettlementQueue,
} from './settlement-queue.ts';

/** The client side of BillingService.SettleUsage (proto/gateway/v1/billing.proto). */
type SettleStream = ReturnType<typeof openSettleUsage>;

/** Records wait this long for others. With late timers, they are still sent within 20 ms. */
const FLUSH_MS = 10;
/**
 * Without any acknowledgement in this time, batches go to another control plane. The time doubles with each
 * try, because leaving a control plane that is only slow repeats its work.
 */
const ACK_TIMEOUT_MS = 5_000;
const MAX_ACK_TIMEOUT_MS = 40_000;
/** Bounds of requests that wait for space in the queue: how many, and how long. */
const SPACE_WAIT = { maxWaiting: 1_000, maxWaitMs: 2_500 };
/** No checkpoints are sent while the oldest batch has waited longer than this for its acknowledgement. */
const MAX_ACK_LAG_MS = 1_000;
const MIN_BACKOFF_MS = 50;
const CLOSE_POLL_MS = 5;

export interface SettlementStreamOptions {
  /** A separate client, so that a failover of this stream affects nothing else. */
  client: ControlPlaneClient;
  log: Logger;
  registry: Registry;
  bounds?: SettlementBounds | undefined;
}

/**
 * Reports every ended request to the control plane without delaying it: in batches over one open stream.
 * Unacknowledged batches are repeated after a reconnect under the same ids, and count once.
 */
export class SettlementStream {
  readonly #log: Logger;
  readonly #queue: SettlementQueue;
  readonly #metrics: SettlementMetrics;
  /** Send time of each batch on this stream, by `performance.now()`, oldest first. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #stream: ReopeningStream<SettleAckMessage, SettleStream>;
  #flush: NodeJS.Timeout | undefined;
  #ackTimer: PatientTimer | undefined;
  #ackTimeoutMs = ACK_TIMEOUT_MS;
  #ackedAtMs = Number.NEGATIVE_INFINITY;
  #lastRecorded: Pick<SettlementBatch, 'committed'> | undefined;
  readonly #waitingForSpace = new Set<() => void>();

  constructor({ client, log, registry, bounds = SETTLEMENT_BOUNDS }: SettlementStreamOptions) {
    this.#log = log;
    this.#queue = new SettlementQueue(bounds);
    this.#metrics = createSettlementMetrics(registry, this.#queue);
    this.#stream = new ReopeningStream({
      client,
      minBackoffMs: MIN_BACKOFF_MS,
      open: openSettleUsage,
      onOpen: (stream) => this.#sendAgain(stream),
      onEvent: (stream, ack) => this.#acknowledge(stream, ack),
      onLost: (error) => this.#onLost(error),
    });
  }

  get pending(): number {
    return this.#queue.size;
  }

  start(): void {
    this.#stream.open();
  }

  /** Returns true if too many records are unacknowledged for a further paid request. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /**
   * Waits while the queue is full, if acknowledgements are arriving.
   * @returns true if the request may start
   */
  async waitForSpace(): Promise<boolean> {
    const isDraining = listeningMs() - this.#ackedAtMs < SPACE_WAIT.maxWaitMs;
    if (!isDraining || this.#waitingForSpace.size >= SPACE_WAIT.maxWaiting) return false;
    await new Promise<void>((resolve) => {
      const settle = () => {
        timer.clear();
        this.#waitingForSpace.delete(settle);
        resolve();
      };
      const timer = new PatientTimer(SPACE_WAIT.maxWaitMs, settle);
      this.#waitingForSpace.add(settle);
    });
    return !this.#queue.isFull;
  }

  /** Resolves when all records so far are committed, or the patience ends. */
  async committed(patience: Patience): Promise<void> {
    const { committed = Promise.resolve() } = this.#lastRecorded ?? {};
    await withPatience(committed, patience, () => new Error('not committed yet')).catch(() => undefined);
  }

  /**
   * Reports an ended request, without I/O. Call it once per request.
   * @param allowance counts the request as unsettled until it is committed
   * @returns `committed`, a promise that resolves when the record is committed, and never if it is lost
   */
  record(settled: SettledRequest, allowance?: { unsettled: number }): Pick<SettlementBatch, 'committed'> {
    const { isClosed } = this.#stream;
    const batch = isClosed ? undefined : this.#queue.add(settled, allowance);
    if (allowance !== undefined) allowance.unsettled += 1;
    if (batch === undefined) {
      this.#metrics.lost.inc({ reason: isClosed ? 'shutdown' : 'overflow' });
      return { committed: new Promise(() => undefined) };
    }
    if (this.#queue.hasFullBatch) this.#sendWaiting();
    else this.#flush ??= setTimeout(() => this.#sendWaiting(), FLUSH_MS);
    this.#lastRecorded = batch;
    return batch;
  }

  /** Reports the usage of running streams so far. A lost report is harmless, because more follow. */
  checkpoint(running: readonly SettledRequest[]): void {
    const [oldestMs = performance.now()] = this.#sentAtMs.values();
    const isBehind = performance.now() - oldestMs > MAX_ACK_LAG_MS;
    const stream = this.#stream.current;
    if (stream === undefined || this.#stream.isClosed || isBehind) return;
    const message = new SettleBatchMessage();
    for (const report of running) message.addCheckpoint(report);
    stream.write(message.bytes);
  }

  /**
   * Sends the remaining records, waits for acknowledgements, and ends the stream.
   * @param boundMs upper bound of the wait
   * @returns the number of lost records
   */
  async close(boundMs: number): Promise<number> {
    const deadlineMs = listeningMs() + boundMs;
    this.#sendWaiting();
    while (this.#queue.size > 0 && listeningMs() < deadlineMs) await wait(CLOSE_POLL_MS);
    this.#stream.close();
    clearTimeout(this.#flush);
    this.#ackTimer?.clear();
    for (const settle of [...this.#waitingForSpace]) settle();
    const lost = this.#queue.size;
    if (lost > 0) {
      this.#metrics.lost.inc({ reason: 'shutdown' }, lost);
      this.#log.error({ records: lost }, 'ended requests could not be reported to any control plane');
      this.#stream.current?.cancel();
    } else {
      this.#stream.current?.end();
    }
    return lost;
  }

  /** Fills a new stream: first unacknowledged batches, then waiting records. */
  #sendAgain(stream: SettleStream): void {
    this.#sentAtMs.clear();
    for (const batch of this.#queue.inFlight) this.#send(stream, batch);
    this.#sendWaiting();
  }

  /** Sends as many batches as may be in flight. The others follow after acknowledgements. */
  #sendWaiting(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const stream = this.#stream.current;
    if (stream === undefined) return;
    for (let batch = this.#queue.take(); batch !== undefined; batch = this.#queue.take())
      this.#send(stream, batch);
  }

  #send(stream: SettleStream, { message }: SettlementBatch): void {
    stream.write(message.bytes);
    this.#sentAtMs.set(message.id, performance.now());
    if (this.#ackTimer === undefined) this.#restartAckTimer(stream);
  }

  #acknowledge(stream: SettleStream, { batchId, refused }: SettleAckMessage): void {
    this.#queue.acknowledge(batchId);
    this.#stream.resetBackoff();
    this.#ackTimeoutMs = ACK_TIMEOUT_MS;
    this.#ackedAtMs = listeningMs();
    if (!this.#queue.isFull) for (const settle of [...this.#waitingForSpace]) settle();
    if (refused > 0) {
      this.#metrics.lost.inc({ reason: 'refused' }, refused);
      this.#log.error({ records: refused }, 'the control plane cannot store reports of ended requests');
    }
    if (!this.#stream.isInUse(stream)) return;
    this.#sentAtMs.delete(batchId);
    this.#restartAckTimer(stream);
    // Otherwise the flush timer sends them.
    if (this.#flush === undefined) this.#sendWaiting();
  }

  /** Detects a dead connection by missing acknowledgements, long before TCP does. */
  #restartAckTimer(stream: SettleStream): void {
    this.#ackTimer?.clear();
    this.#ackTimer = undefined;
    if (this.#sentAtMs.size === 0) return;
    this.#ackTimer = new PatientTimer(this.#ackTimeoutMs, () => {
      this.#ackTimeoutMs = Math.min(2 * this.#ackTimeoutMs, MAX_ACK_TIMEOUT_MS);
      this.#stream.giveUp(stream, 'no acknowledgement from the control plane');
    });
  }

  #onLost(error: Error | undefined): void {
    this.#ackTimer?.clear();
    this.#ackTimer = undefined;
    for (const settle of [...this.#waitingForSpace]) settle();
    this.#log.warn(
      { error: error?.message, records: this.#queue.size },
      'settlement stream lost, reconnecting',
    );
  }
}
