import { randomUUID } from 'node:crypto';
import type { SettledRequest } from './settled-request.ts';

export interface SettlementBatch {
  id: string;
  records: readonly SettledRequest[];
  onCommitted: readonly (() => void)[];
  /** When its first record was added, by `performance.now()`. */
  sinceMs: number;
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

/** Unacknowledged records: batches in flight, and records that wait for a batch. */
export class SettlementQueue {
  readonly #bounds: SettlementBounds;
  readonly #inFlight = new Map<string, SettlementBatch>();
  #waiting: { record: SettledRequest; addedAtMs: number; onCommitted: () => void }[] = [];
  #inFlightRecords = 0;

  constructor(bounds: SettlementBounds = SETTLEMENT_BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#waiting.length + this.#inFlightRecords;
  }

  /** Time of the oldest record, by `performance.now()`; undefined without records. */
  get oldestMs(): number | undefined {
    const [batch] = this.#inFlight.values();
    return batch?.sinceMs ?? this.#waiting[0]?.addedAtMs;
  }

  /** Returns true if no further paid request should start. Running ones can still end. */
  get isFull(): boolean {
    return this.size >= this.#bounds.maxRecords;
  }

  get hasFullBatch(): boolean {
    return this.#waiting.length >= this.#bounds.maxBatchRecords;
  }

  get inFlight(): readonly SettlementBatch[] {
    return [...this.#inFlight.values()];
  }

  /**
   * Adds a record. A full queue drops free records, but never paid ones.
   * @returns true if it was added
   */
  add(record: SettledRequest, onCommitted: () => void): boolean {
    if (this.isFull && record.priceVersion === undefined) return false;
    this.#waiting.push({ record, addedAtMs: performance.now(), onCommitted });
    return true;
  }

  /** Takes the next batch; undefined if no record waits, or enough batches are in flight. */
  take(): SettlementBatch | undefined {
    const [first] = this.#waiting;
    if (first === undefined || this.#inFlight.size >= this.#bounds.maxBatchesUnderway) return undefined;
    const taken = this.#waiting.splice(0, this.#bounds.maxBatchRecords);
    const batch = {
      id: randomUUID(),
      records: taken.map(({ record }) => record),
      onCommitted: taken.map(({ onCommitted }) => onCommitted),
      sinceMs: first.addedAtMs,
    };
    this.#inFlight.set(batch.id, batch);
    this.#inFlightRecords += taken.length;
    return batch;
  }

  /** Call this when a batch is committed. Ignores unknown batches. */
  acknowledge(batchId: string): void {
    const batch = this.#inFlight.get(batchId);
    if (batch === undefined) return;
    this.#inFlight.delete(batchId);
    this.#inFlightRecords -= batch.records.length;
    for (const onCommitted of batch.onCommitted) onCommitted();
  }
}
