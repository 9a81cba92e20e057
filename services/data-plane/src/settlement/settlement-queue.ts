import { randomUUID } from 'node:crypto';
import type { SettledRequest } from './settled-request.ts';

/** Records that travel, and are committed, together. They stay together under one id until they are acknowledged. */
export interface SettlementBatch {
  id: string;
  records: readonly SettledRequest[];
  /** `performance.now()` of when its first record was added. */
  sinceMs: number;
}

export interface SettlementBounds {
  /** Records kept while no control plane takes them. */
  maxRecords: number;
  maxBatchRecords: number;
  /** While these wait for acknowledgements, further records wait for the next batch: slow commits get larger ones. */
  maxBatchesUnderway: number;
}

export const SETTLEMENT_BOUNDS: SettlementBounds = {
  maxRecords: 10_000,
  maxBatchRecords: 500,
  maxBatchesUnderway: 4,
};

/** What is not acknowledged yet: batches under way, and records that wait for one. */
export class SettlementQueue {
  readonly #bounds: SettlementBounds;
  readonly #underway = new Map<string, SettlementBatch>();
  #waiting: { record: SettledRequest; addedAtMs: number }[] = [];
  #underwayRecords = 0;

  constructor(bounds: SettlementBounds = SETTLEMENT_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Number of records. */
  get size(): number {
    return this.#waiting.length + this.#underwayRecords;
  }

  /** `performance.now()` of the oldest record; undefined when there is none. */
  get oldestMs(): number | undefined {
    const [batch] = this.#underway.values();
    return batch?.sinceMs ?? this.#waiting[0]?.addedAtMs;
  }

  get hasFullBatch(): boolean {
    return this.#waiting.length >= this.#bounds.maxBatchRecords;
  }

  /** Batches that were taken and are not acknowledged, oldest first. */
  get underway(): readonly SettlementBatch[] {
    return [...this.#underway.values()];
  }

  /**
   * Adds a record. Over the bound the oldest that is not under way is given up: one under way may be counted already.
   * @returns how many were given up
   */
  add(record: SettledRequest): number {
    this.#waiting.push({ record, addedAtMs: performance.now() });
    if (this.size <= this.#bounds.maxRecords) return 0;
    this.#waiting.shift();
    return 1;
  }

  /** Makes the next batch; undefined when no record waits, or enough batches are under way. */
  take(): SettlementBatch | undefined {
    const [first] = this.#waiting;
    if (first === undefined || this.#underway.size >= this.#bounds.maxBatchesUnderway) return undefined;
    const records = this.#waiting.splice(0, this.#bounds.maxBatchRecords).map(({ record }) => record);
    const batch = { id: randomUUID(), records, sinceMs: first.addedAtMs };
    this.#underway.set(batch.id, batch);
    this.#underwayRecords += records.length;
    return batch;
  }

  /** The batch is committed. One that is not under way (any more) changes nothing. */
  acknowledge(batchId: string): void {
    const batch = this.#underway.get(batchId);
    if (batch === undefined) return;
    this.#underway.delete(batchId);
    this.#underwayRecords -= batch.records.length;
  }
}
