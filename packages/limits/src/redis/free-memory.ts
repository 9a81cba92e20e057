import type { RedisConnection } from './redis-connection.ts';

/** The share of Redis' memory that stored values may fill. The rest is for limits and revocations. */
const MAX_PART = 1 / 2;
const CHECK_EVERY_MS = 1_000;

/**
 * Checks whether Redis has memory left for optional values. At its bound (`maxmemory`) Redis refuses all
 * writes, even of revocations.
 */
export class FreeMemory {
  readonly #connection: RedisConnection;
  #isAvailable = true;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** Returns the last known state, and starts the next check without waiting for it. */
  isAvailable(): boolean {
    const now = performance.now();
    if (now - this.#checkedAtMs >= CHECK_EVERY_MS) {
      this.#checkedAtMs = now;
      this.#check();
    }
    return this.#isAvailable;
  }

  #check(): void {
    this.#connection.client.info('memory').then(
      (text) => {
        const max = numberIn(text, 'maxmemory');
        this.#isAvailable = max === 0 || numberIn(text, 'used_memory') < max * MAX_PART;
      },
      // Failing commands show elsewhere that Redis is down.
      () => undefined,
    );
  }
}

/** @returns 0 if the text lacks it */
function numberIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)\\r?$`, 'm').exec(text)?.[1] ?? 0);
}
