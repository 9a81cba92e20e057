import type { RedisConnection } from './redis-connection.ts';

/** The share of Redis' memory that stored values may fill. The rest is for limits and revocations. */
const MAX_PART = 1 / 2;
const LOOK_EVERY_MS = 1_000;

/**
 * Checks whether Redis has memory left for optional values. At its bound (`maxmemory`) Redis takes no writes
 * at all, not even of revocations.
 */
export class RoomInRedis {
  readonly #connection: RedisConnection;
  #isThere = true;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** Returns the last known state, and starts the next check without waiting for it. */
  isThere(): boolean {
    const now = performance.now();
    if (now - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = now;
      this.#look();
    }
    return this.#isThere;
  }

  #look(): void {
    this.#connection.client.info('memory').then(
      (text) => {
        const most = numberIn(text, 'maxmemory');
        this.#isThere = most === 0 || numberIn(text, 'used_memory') < most * MAX_PART;
      },
      // Failing commands show elsewhere that Redis is down.
      () => undefined,
    );
  }
}

/** @returns 0 where the text does not say it */
function numberIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)\\r?$`, 'm').exec(text)?.[1] ?? 0);
}
