import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isOutOfConnections } from './out-of-connections.ts';

/** Pause after a refused connection before the pool grows again. */
const TRY_AGAIN_AFTER_MS = 10_000;

type Connected = Parameters<Pool['connect']>[0];

/**
 * Pool of pg that also works with fewer connections than its maximum: when Postgres refuses a new one, it
 * waits for one of its own instead of failing the query.
 */
export class ConnectionPool extends Pool {
  readonly #max: number;
  #growing: NodeJS.Timeout | undefined;

  constructor(config: PoolConfig & { max: number }) {
    super(config);
    this.#max = config.max;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, (release) => client.release(release)),
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), undefined, () => undefined),
    );
    return undefined;
  }

  override async end(): Promise<void> {
    clearTimeout(this.#growing);
    await super.end();
  }

  async #connect(): Promise<PoolClient> {
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if (!isOutOfConnections(error) || this.totalCount === 0) throw error;
        this.#limitTo(this.totalCount);
      }
    }
  }

  #limitTo(connections: number): void {
    this.options.max = connections;
    this.#growing ??= setTimeout(() => {
      this.#growing = undefined;
      this.options.max = this.#max;
    }, TRY_AGAIN_AFTER_MS).unref();
  }
}
