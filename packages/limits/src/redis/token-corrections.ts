import { hashTagIn } from './redis-keys.ts';

/** A correction waits one to two of these for a decision to be sent with. */
const FLUSH_MS = 100;
/** Buckets per command, so that no command delays others. */
const AT_ONCE = 500;

interface TokenCorrectionsOptions {
  send: (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
  /** True if all keys of a command must have the same hash tag. */
  needsOneSlot: () => boolean;
  onError: (error: unknown) => void;
}

/**
 * Collects differences between estimated and used tokens: for the next decision about their bucket, else for
 * one command with those of many buckets. None is sent twice, so one that fails is lost, and its estimate
 * counts until it leaves the window.
 */
export class TokenCorrections {
  readonly #options: TokenCorrectionsOptions;
  /**
   * Corrections by the bucket's key: the number of flushes before them, then each cell and its difference.
   * Nearly always there is one cell: a map per bucket would cost twice the CPU time.
   */
  readonly #buckets = new Map<string, number[]>();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenCorrectionsOptions) {
    this.#options = options;
  }

  add(key: string, cell: number, difference: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, [this.#tick, cell, difference]);
    else addPair(bucket, cell, difference);
    this.#schedule();
  }

  /** Moves the corrections of a bucket to `args`: how many cells change, then each one and its difference. */
  moveTo(args: (number | string)[], key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      args.push(0);
      return;
    }
    this.#buckets.delete(key);
    args.push((bucket.length - 1) / 2);
    for (let index = 1; index < bucket.length; index += 1) args.push(bucket[index] ?? 0);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  /** Sends the corrections that are older than the last flush. */
  #flush(): void {
    const { needsOneSlot, onError, send } = this.#options;
    const due: string[] = [];
    for (const [key, [tick = 0]] of this.#buckets) if (tick < this.#tick) due.push(key);
    const groups = needsOneSlot() ? Map.groupBy(due, hashTagIn).values() : [due];
    for (const group of groups) {
      for (let start = 0; start < group.length; start += AT_ONCE) {
        const keys = group.slice(start, start + AT_ONCE);
        const args: (string | number)[] = [];
        for (const key of keys) this.moveTo(args, key);
        send(keys, args).catch(onError);
      }
    }
    this.#tick += 1;
    this.#timer = undefined;
    if (this.#buckets.size > 0) this.#schedule();
  }
}

/** Adds to the pairs after the first number. Searches from the end: the latest cell is usually the last. */
function addPair(bucket: number[], cell: number, difference: number): void {
  for (let index = bucket.length - 2; index > 0; index -= 2) {
    if (bucket[index] !== cell) continue;
    bucket[index + 1] = (bucket[index + 1] ?? 0) + difference;
    return;
  }
  bucket.push(cell, difference);
}
