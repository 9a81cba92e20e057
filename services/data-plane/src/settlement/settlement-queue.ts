import { randomUUID } from 'node:crypto';
import type { SettledRequest } from './settled-request.ts';

/** Records that are sent and committed together, under one id until they are acknowledged. */
export interface SettlementBatch {
  id: string;
  records: readonly SettledRequest[];
  /** Called when the records are committed. */
  onCommitted: readonly (() => void)[];
  /** When its first record was added, by `performance.now()`. */
  sinceMs: number;
}

export interface SettlementBounds {
  /** How many records are kept while no control plane takes them. */
  maxRecords: number;
  maxBatchRecords: number;
  /**
   * With so many batches unacknowledged, records wait for the next one. With one, the database sets the pace:
   * the slower it commits, the larger is the next batch, and no data plane sends it several at once.
   */
  maxBatchesUnderway: number;
}

export const SETTLEMENT_BOUNDS: SettlementBounds = {
  maxRecords: 10_000,
  maxBatchRecords: 500,
  maxBatchesUnderway: 1,
};

/** Records without acknowledgement: batches under way, and records that wait for a batch. */
export class SettlementQueue {
  readonly #bounds: SettlementBounds;
  readonly #underway = new Map<string, SettlementBatch>();
  #waiting: { record: SettledRequest; addedAtMs: number; onCommitted: () => void }[] = [];
  #underwayRecords = 0;

  constructor(bounds: SettlementBounds = SETTLEMENT_BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#waiting.length + this.#underwayRecords;
  }

  /** When the oldest record was added, by `performance.now()`; undefined when there is none. */
  get oldestMs(): number | undefined {
    const [batch] = this.#underway.values();
    return batch?.sinceMs ?? this.#waiting[0]?.addedAtMs;
  }

  /** Returns true if no further paid request should be taken on. Those that run can still end. */
  get isFull(): boolean {
    return this.size >= this.#bounds.maxRecords;
  }

  get hasFullBatch(): boolean {
    return this.#waiting.length >= this.#bounds.maxBatchRecords;
  }

  /** The batches that were taken and are not acknowledged, oldest first. */
  get underway(): readonly SettlementBatch[] {
    return [...this.#underway.values()];
  }

  /**
   * Adds a record. Over the bound, a record that is free of charge is given up, and a paid one never is.
   * @returns true if it was added
   */
  add(record: SettledRequest, onCommitted: () => void): boolean {
    if (this.isFull && record.priceVersion === undefined) return false;
    this.#waiting.push({ record, addedAtMs: performance.now(), onCommitted });
    return true;
  }

  /** Makes the next batch; undefined when no record waits, or when enough batches are under way. */
  take(): SettlementBatch | undefined {
    const [first] = this.#waiting;
    if (first === undefined || this.#underway.size >= this.#bounds.maxBatchesUnderway) return undefined;
    const taken = this.#waiting.splice(0, this.#bounds.maxBatchRecords);
    const batch = {
      id: randomUUID(),
      records: taken.map(({ record }) => record),
      onCommitted: taken.map(({ onCommitted }) => onCommitted),
      sinceMs: first.addedAtMs,
    };
    this.#underway.set(batch.id, batch);
    this.#underwayRecords += taken.length;
    return batch;
  }

  /** To be called when a batch is committed. It ignores a batch that is not under way, or not any more. */
  acknowledge(batchId: string): void {
    const batch = this.#underway.get(batchId);
    if (batch === undefined) return;
    this.#underway.delete(batchId);
    this.#underwayRecords -= batch.records.length;
    for (const onCommitted of batch.onCommitted) onCommitted();
  }
}
