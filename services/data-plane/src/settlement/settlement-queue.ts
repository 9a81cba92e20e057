import { SettleBatchMessage } from './settle-batch-message.ts';
import type { SettledRequest } from './settled-request.ts';

/** An allowance, which counts its requests without a committed settlement. */
interface Unsettled {
  unsettled: number;
}

/** Records that are committed together. */
export class SettlementBatch {
  readonly message = new SettleBatchMessage();
  /** When its first record was added, by `performance.now()`. */
  readonly sinceMs = performance.now();
  /** Number of records. */
  size = 0;
  readonly #allowances: Unsettled[] = [];
  readonly #commit = Promise.withResolvers<void>();

  /** Resolves when the records are committed, and never if they are lost. */
  get committed(): Promise<void> {
    return this.#commit.promise;
  }

  add(record: SettledRequest, allowance: Unsettled | undefined): void {
    this.message.addRecord(record);
    this.size += 1;
    if (allowance !== undefined) this.#allowances.push(allowance);
  }

  /** Call this once, when the control plane has committed the records. */
  commit(): void {
    for (const allowance of this.#allowances) allowance.unsettled -= 1;
    this.#commit.resolve();
  }
}

export interface SettlementBounds {
  /** Maximum records during an outage of the control plane. */
  maxRecords: number;
  maxBatchRecords: number;
  /**
   * Maximum unacknowledged batches. With one, the database sets the pace: the slower it commits, the larger
   * is the next batch.
   */
  maxBatchesUnderway: number;
}

export const SETTLEMENT_BOUNDS: SettlementBounds = {
  maxRecords: 10_000,
  maxBatchRecords: 500,
  maxBatchesUnderway: 1,
};

/** Unacknowledged records: batches in flight, and batches that wait. Only the last one still grows. */
export class SettlementQueue {
  readonly #bounds: SettlementBounds;
  readonly #inFlight = new Map<string, SettlementBatch>();
  readonly #waiting: SettlementBatch[] = [];
  #size = 0;

  constructor(bounds: SettlementBounds = SETTLEMENT_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Unacknowledged records. */
  get size(): number {
    return this.#size;
  }

  /** Time of the oldest record, by `performance.now()`; undefined without records. */
  get oldestMs(): number | undefined {
    const [batch = this.#waiting[0]] = this.#inFlight.values();
    return batch?.sinceMs;
  }

  /** Returns true if no further paid request should start. Running ones can still end. */
  get isFull(): boolean {
    return this.#size >= this.#bounds.maxRecords;
  }

  get hasFullBatch(): boolean {
    return this.#waiting[0]?.size === this.#bounds.maxBatchRecords;
  }

  get inFlight(): readonly SettlementBatch[] {
    return [...this.#inFlight.values()];
  }

  /**
   * Adds a record. A full queue drops free records, but never paid ones.
   * @param allowance counts the record as unsettled until it is committed
   * @returns its batch; undefined if it was dropped
   */
  add(record: SettledRequest, allowance?: Unsettled): SettlementBatch | undefined {
    if (this.isFull && record.priceVersion === undefined) return undefined;
    const last = this.#waiting.at(-1);
    const hasSpace = last !== undefined && last.size < this.#bounds.maxBatchRecords;
    const batch = hasSpace ? last : new SettlementBatch();
    batch.add(record, allowance);
    if (!hasSpace) this.#waiting.push(batch);
    this.#size += 1;
    return batch;
  }

  /** Takes the next batch; undefined if no record waits, or enough batches are in flight. */
  take(): SettlementBatch | undefined {
    if (this.#inFlight.size >= this.#bounds.maxBatchesUnderway) return undefined;
    const batch = this.#waiting.shift();
    if (batch !== undefined) this.#inFlight.set(batch.message.id, batch);
    return batch;
  }

  /** Call this when a batch is committed. Ignores unknown batches. */
  acknowledge(batchId: string): void {
    const batch = this.#inFlight.get(batchId);
    if (batch === undefined) return;
    this.#inFlight.delete(batchId);
    this.#size -= batch.size;
    batch.commit();
  }
}
