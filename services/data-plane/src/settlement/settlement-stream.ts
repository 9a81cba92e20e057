import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ControlPlaneClient,
  type ControlPlaneStubs,
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
import type { SettledRequest } from './settled-request.ts';
import { createSettlementMetrics, type SettlementMetrics } from './settlement-metrics.ts';
import {
  SETTLEMENT_BOUNDS,
  type SettlementBatch,
  type SettlementBounds,
  SettlementQueue,
} from './settlement-queue.ts';

/** The caller's side of BillingService.SettleUsage (proto/gateway/v1/billing.proto). */
type SettleStream = ReturnType<ControlPlaneStubs['billing']['settleUsage']>;

/** Records wait this long for company; with timers that are late they are still under way within 20 ms. */
const FLUSH_MS = 10;
/**
 * A batch that is not acknowledged in this time, in which nothing else was acknowledged either, is sent to
 * another control plane. The time doubles at each try, up to a bound: leaving a control plane early that is
 * only behind would give it the same work once more.
 */
const ACK_TIMEOUT_MS = 5_000;
const MAX_ACK_TIMEOUT_MS = 40_000;
/**
 * How many requests wait for room at one time, and for how long: while it is acknowledged what waits before
 * them.
 */
const ROOM = { maxWaiting: 1_000, maxWaitMs: 2_500 };
/** While the control plane is this far behind with what has ended, it is not told of what has not. */
const CHECKPOINT_PATIENCE_MS = 1_000;
const MIN_BACKOFF_MS = 50;
const CLOSE_POLL_MS = 5;

export interface SettlementStreamOptions {
  /** Its own, so that a failover of this stream moves nothing else. */
  client: ControlPlaneClient;
  log: Logger;
  registry: Registry;
  bounds?: SettlementBounds;
}

/**
 * Tells the control plane of every request that has ended, beside the requests: over one stream that stays
 * open, in batches that are kept until they are acknowledged. After a lost stream they are sent again under
 * the same ids, to another control plane if there is one, and count once.
 */
export class SettlementStream {
  readonly #log: Logger;
  readonly #queue: SettlementQueue;
  readonly #metrics: SettlementMetrics;
  /** Of the batches sent on the open stream, when (`performance.now()`), oldest first. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #stream: ReopeningStream<SettleAckMessage, SettleStream>;
  #flush: NodeJS.Timeout | undefined;
  #impatience: PatientTimer | undefined;
  #ackTimeoutMs = ACK_TIMEOUT_MS;
  #ackedAtMs = Number.NEGATIVE_INFINITY;
  #lastRecorded: Promise<void> = Promise.resolve();
  readonly #waitingForRoom = new Set<() => void>();

  constructor({ client, log, registry, bounds = SETTLEMENT_BOUNDS }: SettlementStreamOptions) {
    this.#log = log;
    this.#queue = new SettlementQueue(bounds);
    this.#metrics = createSettlementMetrics(registry, {
      pendingRecords: () => this.#queue.size,
      lagMs: () => performance.now() - (this.#queue.oldestMs ?? performance.now()),
    });
    this.#stream = new ReopeningStream({
      client,
      minBackoffMs: MIN_BACKOFF_MS,
      open: ({ billing }, metadata) => billing.settleUsage(metadata),
      onOpen: (stream) => this.#sendAgain(stream),
      onEvent: (stream, ack) => this.#acknowledge(stream, ack),
      onLost: (error) => this.#lost(error),
    });
  }

  /** Number of records that are not acknowledged. */
  get pending(): number {
    return this.#queue.size;
  }

  start(): void {
    this.#stream.open();
  }

  /** Too many are not acknowledged for a further paid request to be taken on. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /**
   * Holds a request back while too many are not acknowledged, for a moment in which some of them may be.
   * @returns whether it may be taken on
   */
  async hasRoom(): Promise<boolean> {
    const isWorkedOff = listeningMs() - this.#ackedAtMs < ROOM.maxWaitMs;
    if (!isWorkedOff || this.#waitingForRoom.size >= ROOM.maxWaiting) return false;
    await new Promise<void>((resolve) => {
      const settle = () => {
        patience.clear();
        this.#waitingForRoom.delete(settle);
        resolve();
      };
      const patience = new PatientTimer(ROOM.maxWaitMs, settle);
      this.#waitingForRoom.add(settle);
    });
    return !this.#queue.isFull;
  }

  /** Resolves when what was recorded so far is committed, or is not in time. */
  async committed(patience: Patience): Promise<void> {
    await withPatience(this.#lastRecorded, patience, () => new Error('not committed yet')).catch(
      () => undefined,
    );
  }

  /**
   * Reports one ended request; once per request. Costs no I/O: it is sent within 20 ms.
   * @returns resolves when it is committed; never when it is lost
   */
  record(settled: SettledRequest): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { isClosed } = this.#stream;
    const lost = isClosed ? 'shutdown' : this.#queue.add(settled, resolve) ? undefined : 'overflow';
    if (lost !== undefined) this.#metrics.lost.inc({ reason: lost });
    else if (this.#queue.hasFullBatch) this.#sendWaiting();
    else this.#flush ??= setTimeout(() => this.#sendWaiting(), FLUSH_MS);
    if (lost === undefined) this.#lastRecorded = promise;
    return promise;
  }

  /**
   * Reports what running streams have consumed so far. Nothing is lost when that does not arrive: more
   * follows.
   */
  checkpoint(running: readonly SettledRequest[]): void {
    const [oldestMs = performance.now()] = this.#sentAtMs.values();
    const isBehind = performance.now() - oldestMs > CHECKPOINT_PATIENCE_MS;
    const stream = this.#stream.current;
    if (stream === undefined || this.#stream.isClosed || isBehind) return;
    stream.write({ batchId: randomUUID(), records: [], checkpoints: running.map(message) });
  }

  /**
   * Sends what is left and waits until it is acknowledged, by whichever control plane, then ends the stream.
   * @param boundMs how long it waits at most, by the clock that stands still while this process is behind
   * @returns how many records were lost
   */
  async close(boundMs: number): Promise<number> {
    const deadlineMs = listeningMs() + boundMs;
    this.#sendWaiting();
    while (this.#queue.size > 0 && listeningMs() < deadlineMs) await wait(CLOSE_POLL_MS);
    this.#stream.close();
    clearTimeout(this.#flush);
    this.#impatience?.clear();
    for (const settle of [...this.#waitingForRoom]) settle();
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

  /** On a new stream: what was sent on the one before and not acknowledged, then what waits. */
  #sendAgain(stream: SettleStream): void {
    this.#sentAtMs.clear();
    for (const batch of this.#queue.underway) this.#send(stream, batch);
    this.#sendWaiting();
  }

  /** Sends as many batches as may be under way; the rest follows with the acknowledgements. */
  #sendWaiting(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const stream = this.#stream.current;
    if (stream === undefined) return;
    for (let batch = this.#queue.take(); batch !== undefined; batch = this.#queue.take())
      this.#send(stream, batch);
  }

  #send(stream: SettleStream, { id, records }: SettlementBatch): void {
    stream.write({ batchId: id, records: [...records].map(message) });
    this.#sentAtMs.set(id, performance.now());
    if (this.#impatience === undefined) this.#watchPatience(stream);
  }

  #acknowledge(stream: SettleStream, { batchId, refused }: SettleAckMessage): void {
    this.#queue.acknowledge(batchId);
    this.#stream.resetBackoff();
    this.#ackTimeoutMs = ACK_TIMEOUT_MS;
    this.#ackedAtMs = listeningMs();
    if (!this.#queue.isFull) for (const settle of [...this.#waitingForRoom]) settle();
    if (refused > 0) {
      this.#metrics.lost.inc({ reason: 'refused' }, refused);
      this.#log.error({ records: refused }, 'the control plane cannot store reports of ended requests');
    }
    if (!this.#stream.isInUse(stream)) return;
    this.#sentAtMs.delete(batchId);
    this.#watchPatience(stream);
    // Records that still wait for company are sent by their timer.
    if (this.#flush === undefined) this.#sendWaiting();
  }

  /**
   * A connection on which nothing arrives any more breaks only after many seconds; acknowledgements tell
   * sooner.
   */
  #watchPatience(stream: SettleStream): void {
    this.#impatience?.clear();
    this.#impatience = undefined;
    if (this.#sentAtMs.size === 0) return;
    this.#impatience = new PatientTimer(this.#ackTimeoutMs, () => {
      this.#ackTimeoutMs = Math.min(2 * this.#ackTimeoutMs, MAX_ACK_TIMEOUT_MS);
      this.#stream.giveUp(stream, 'no acknowledgement from the control plane');
    });
  }

  #lost(error: Error | undefined): void {
    this.#impatience?.clear();
    this.#impatience = undefined;
    for (const settle of [...this.#waitingForRoom]) settle();
    this.#log.warn(
      { error: error?.message, records: this.#queue.size },
      'settlement stream lost, reconnecting',
    );
  }
}

function message({ attempts, held, ...request }: SettledRequest) {
  return { ...request, held: String(held), attempts: [...attempts] };
}
