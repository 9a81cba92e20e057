import { type Dispatcher, Pool } from 'undici';
import { UpstreamAnswer } from './upstream-answer.ts';

/**
 * To find a free connection, undici looks through those of a pool until it comes to one: with 9,000 open
 * streams that took 60 µs of CPU for each request. Over HTTP/2 so many fill two connections.
 */
const MOST_RUNNING = 200;

/** A pool that knows how many calls are under way in it. */
class CountedPool extends Pool {
  running = 0;

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof UpstreamAnswer) {
      this.running += 1;
      handler.onOver = () => {
        this.running -= 1;
      };
    }
    return super.dispatch(options, handler);
  }
}

/** The connections to one provider, in as many pools as it takes for each of them to be small. */
export class SpreadPool {
  readonly #origin: string;
  readonly #options: Pool.Options;
  readonly #pools: CountedPool[] = [];

  constructor(origin: string, options: Pool.Options) {
    this.#origin = origin;
    this.#options = options;
  }

  /**
   * The pool for the next call: the first one with room, so that connections are used again and others end.
   */
  get(): Pool {
    const free = this.#pools.find(({ running }) => running < MOST_RUNNING);
    if (free !== undefined) return free;
    const pool = new CountedPool(this.#origin, this.#options);
    this.#pools.push(pool);
    return pool;
  }

  /** Takes no more calls. Resolves when the last one has ended. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }

  /** Ends all calls. */
  async destroy(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}
