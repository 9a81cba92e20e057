import type { ReadingPool } from '@model-gateway/database';

/** Base of the stores that read lists, sums and exports, whose size depends on users. */
export abstract class ReadingStore {
  protected readonly reads: ReadingPool;

  constructor(reads: ReadingPool) {
    this.reads = reads;
  }
}
