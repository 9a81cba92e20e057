import { Pool } from 'undici';
import type { RoutedProvider } from '../catalog/model-table.ts';

interface ProviderPool {
  /** What the pool was built for; a change of it needs a new pool. */
  origin: string;
  connectMs: number;
  pool: Pool;
}

/** One pool of kept-alive connections per provider. Timeouts after the connect are the request's own. */
export class ProviderPools {
  readonly #pools = new Map<string, ProviderPool>();

  get(provider: RoutedProvider): Pool {
    const { origin } = provider;
    const { connectMs } = provider.timeouts;
    const current = this.#pools.get(provider.id);
    if (current?.origin === origin && current.connectMs === connectMs) return current.pool;
    if (current !== undefined) retire(current.pool);
    const pool = new Pool(origin, { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 });
    this.#pools.set(provider.id, { origin, connectMs, pool });
    return pool;
  }

  /** Gives up the pools of providers that the catalog no longer has; their running requests end in peace. */
  keepOnly(providerIds: ReadonlySet<string> | ReadonlyMap<string, unknown>): void {
    for (const [id, { pool }] of this.#pools) {
      if (providerIds.has(id)) continue;
      this.#pools.delete(id);
      retire(pool);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()));
    this.#pools.clear();
  }
}

function retire(pool: Pool): void {
  // Resolves when the last request has ended; a failure then concerns connections nobody uses any more.
  pool.close().catch(() => undefined);
}
