import { IdleMap } from './idle-map.ts';

const NONE: ReadonlyMap<string, number> = new Map();

/** The leases of running streams, by bucket: request id → when the lease ends, in microseconds. */
export class StreamSlots {
  readonly #buckets: IdleMap<Map<string, number>>;
  readonly #leaseMicros: number;

  constructor(leaseMicros: number, maxBuckets: number) {
    this.#buckets = new IdleMap(leaseMicros, maxBuckets);
    this.#leaseMicros = leaseMicros;
  }

  get bucketCount(): number {
    return this.#buckets.size;
  }

  /** The leases that have not ended. */
  slotsOf(bucket: string, now: number): ReadonlyMap<string, number> {
    const slots = this.#buckets.get(bucket);
    if (slots === undefined) return NONE;
    for (const [requestId, endsAt] of slots) {
      if (endsAt <= now) slots.delete(requestId);
    }
    return slots;
  }

  /** Takes or renews a place, whatever the limit. */
  hold(bucket: string, requestId: string, now: number): void {
    const slots = this.#buckets.get(bucket) ?? new Map<string, number>();
    slots.set(requestId, now + this.#leaseMicros);
    this.#buckets.touch(bucket, slots, now);
  }

  release(bucket: string, requestId: string): void {
    const slots = this.#buckets.get(bucket);
    if (slots?.delete(requestId) && slots.size === 0) this.#buckets.delete(bucket);
  }

  dropIdle(now: number): void {
    this.#buckets.dropIdle(now);
  }
}
