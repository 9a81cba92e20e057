import type { RedisConnection } from './redis-connection.ts';

/** Kept values take no more than this part of Redis' memory: the rest is for limits and revocations. */
const MOST_PART = 1 / 2;
const LOOK_EVERY_MS = 1_000;

/**
 * Whether Redis has room for values that are nice to have. It may have a bound of its memory (`maxmemory`),
 * and at that bound it takes no writes at all, not even of revocations.
 */
export class RoomInRedis {
  readonly #connection: RedisConnection;
  #isThere = true;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** As of the last look. The next one is taken meanwhile: nobody waits for it. */
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
        this.#isThere = most === 0 || numberIn(text, 'used_memory') < most * MOST_PART;
      },
      // A Redis that does not say it: commands that fail show that it is away.
      () => undefined,
    );
  }
}

/** @returns 0 where the text does not say it */
function numberIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)\\r?$`, 'm').exec(text)?.[1] ?? 0);
}
