import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type {
  ControlPlaneClient,
  ControlPlaneStubs,
  SettleAckMessage,
  SettleBatch,
} from '@model-gateway/contracts';
import type { Logger, Registry } from '@model-gateway/service-kit';
import type { SettledRequest } from './settled-request.ts';
import { createSettlementMetrics, type SettlementMetrics } from './settlement-metrics.ts';
import {
  SETTLEMENT_BOUNDS,
  type SettlementBatch,
  type SettlementBounds,
  SettlementQueue,
} from './settlement-queue.ts';

/** The caller's side of BillingService.SettleUsage (proto/gateway/v1/billing.proto). */
type SettleStream = ClientDuplexStream<SettleBatch, SettleAckMessage>;

/** Records wait this long for company; with timers that are late they are still under way within 20 ms. */
const FLUSH_MS = 10;
/** A batch that is not acknowledged in this time is sent to another control plane. */
const ACK_TIMEOUT_MS = 5_000;
/** While the control plane is this far behind with what has ended, it is not told of what has not. */
const CHECKPOINT_PATIENCE_MS = 1_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;
const CLOSE_POLL_MS = 5;

export interface SettlementStreamOptions {
  /** Its own, so that a failover of this stream moves nothing else. */
  client: ControlPlaneClient;
  log: Logger;
  registry: Registry;
  bounds?: SettlementBounds;
}

/**
 * Tells the control plane of every request that has ended, beside the requests: over one stream that stays open, in
 * batches that are kept until they are acknowledged. After a lost stream they are sent again under the same ids, to
 * another control plane if there is one, and count once.
 */
export class SettlementStream {
  readonly #client: ControlPlaneClient;
  readonly #log: Logger;
  readonly #queue: SettlementQueue;
  readonly #metrics: SettlementMetrics;
  /** Of the batches sent on the open stream, when (`performance.now()`), oldest first. */
  readonly #sentAtMs = new Map<string, number>();
  #stream: SettleStream | undefined;
  #stubs: ControlPlaneStubs | undefined;
  #flush: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #impatience: NodeJS.Timeout | undefined;
  #backoffMs = MIN_BACKOFF_MS;
  #closed = false;

  constructor({ client, log, registry, bounds = SETTLEMENT_BOUNDS }: SettlementStreamOptions) {
    this.#client = client;
    this.#log = log;
    this.#queue = new SettlementQueue(bounds);
    this.#metrics = createSettlementMetrics(registry, {
      pendingRecords: () => this.#queue.size,
      lagMs: () => performance.now() - (this.#queue.oldestMs ?? performance.now()),
    });
  }

  /** Number of records that are not acknowledged. */
  get pending(): number {
    return this.#queue.size;
  }

  start(): void {
    this.#open();
  }

  /** No further paid request should be taken on: too many are not acknowledged. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /**
   * Reports one ended request; once per request. Costs no I/O: it is sent within 20 ms.
   * @returns resolves when it is committed; never when it is lost
   */
  record(settled: SettledRequest): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const lost = this.#closed ? 'shutdown' : this.#queue.add(settled, resolve) ? undefined : 'overflow';
    if (lost !== undefined) this.#metrics.lost.inc({ reason: lost });
    else if (this.#queue.hasFullBatch) this.#sendWaiting();
    else this.#flush ??= setTimeout(() => this.#sendWaiting(), FLUSH_MS);
    return promise;
  }

  /** Reports what running streams have consumed so far. Nothing is lost when that does not arrive: more follows. */
  checkpoint(running: readonly SettledRequest[]): void {
    const [oldestMs = performance.now()] = this.#sentAtMs.values();
    const isBehind = performance.now() - oldestMs > CHECKPOINT_PATIENCE_MS;
    if (this.#stream === undefined || this.#closed || isBehind) return;
    this.#stream.write({ batchId: randomUUID(), records: [], checkpoints: running.map(message) });
  }

  /**
   * Sends what is left and waits until it is acknowledged, by whichever control plane, then ends the stream.
   * @param boundMs how long it waits at most
   * @returns how many records were lost
   */
  async close(boundMs: number): Promise<number> {
    const deadlineMs = performance.now() + boundMs;
    this.#sendWaiting();
    while (this.#queue.size > 0 && performance.now() < deadlineMs) await wait(CLOSE_POLL_MS);
    this.#closed = true;
    for (const timer of [this.#flush, this.#retry, this.#impatience]) clearTimeout(timer);
    const lost = this.#queue.size;
    if (lost > 0) {
      this.#metrics.lost.inc({ reason: 'shutdown' }, lost);
      this.#log.error({ records: lost }, 'ended requests could not be reported to any control plane');
      this.#stream?.cancel();
    } else {
      this.#stream?.end();
    }
    return lost;
  }

  #open(): void {
    const stubs = this.#client.stubs;
    const stream: SettleStream = stubs.billing.settleUsage(this.#client.metadata);
    this.#stubs = stubs;
    this.#stream = stream;
    this.#sentAtMs.clear();
    stream.on('data', (ack: SettleAckMessage) => this.#acknowledge(stream, ack));
    stream.on('error', (error) => this.#reopen(stream, error));
    stream.on('end', () => this.#reopen(stream, undefined));
    for (const batch of this.#queue.underway) this.#send(stream, batch);
    this.#sendWaiting();
  }

  /** Sends as many batches as may be under way; the rest follows with the acknowledgements. */
  #sendWaiting(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const stream = this.#stream;
    if (stream === undefined) return;
    for (let batch = this.#queue.take(); batch !== undefined; batch = this.#queue.take())
      this.#send(stream, batch);
  }

  #send(stream: SettleStream, { id, records }: SettlementBatch): void {
    stream.write({ batchId: id, records: [...records].map(message) });
    this.#sentAtMs.set(id, performance.now());
    this.#watchPatience(stream);
  }

  #acknowledge(stream: SettleStream, { batchId, refused }: SettleAckMessage): void {
    this.#queue.acknowledge(batchId);
    this.#backoffMs = MIN_BACKOFF_MS;
    if (refused > 0) {
      this.#metrics.lost.inc({ reason: 'refused' }, refused);
      this.#log.error({ records: refused }, 'the control plane cannot store reports of ended requests');
    }
    if (stream !== this.#stream || this.#closed) return;
    this.#sentAtMs.delete(batchId);
    this.#watchPatience(stream);
    // Records that still wait for company are sent by their timer.
    if (this.#flush === undefined) this.#sendWaiting();
  }

  /** A connection on which nothing arrives any more breaks only after many seconds; acknowledgements tell sooner. */
  #watchPatience(stream: SettleStream): void {
    clearTimeout(this.#impatience);
    const [sentAtMs] = this.#sentAtMs.values();
    if (sentAtMs === undefined) return;
    const delayMs = sentAtMs + ACK_TIMEOUT_MS - performance.now();
    this.#impatience = setTimeout(() => {
      this.#reopen(stream, new Error('no acknowledgement from the control plane'));
      stream.cancel();
    }, delayMs);
  }

  #reopen(stream: SettleStream, error: Error | undefined): void {
    if (stream !== this.#stream || this.#closed) return;
    this.#stream = undefined;
    clearTimeout(this.#impatience);
    this.#log.warn(
      { error: error?.message, records: this.#queue.size },
      'settlement stream lost, reconnecting',
    );
    if (this.#stubs !== undefined) this.#client.moveOn(this.#stubs);
    // Jitter, so that a fleet does not come back as one wave.
    const delayMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => this.#open(), delayMs);
  }
}

function message({ attempts, held, ...request }: SettledRequest) {
  return { ...request, held: String(held), attempts: [...attempts] };
}
