import type { Pool } from 'undici';
import type { ModelTable, RoutedProvider } from '../catalog/model-table.ts';
import { connectToProvider, HTTP2_OPTIONS } from '../egress/connect-to-provider.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import { SpreadPool } from './spread-pool.ts';

interface PoolsOfProvider {
  /** A provider with another origin needs new pools. */
  origin: string;
  /** By connect timeout, which a model may override. */
  byConnectMs: Map<number, SpreadPool>;
}

/** Keep-alive connection pools by provider and connect timeout. All other timeouts belong to requests. */
export class ProviderPools {
  readonly #egress: EgressProxy;
  readonly #providers = new Map<string, PoolsOfProvider>();

  constructor(egress: EgressProxy) {
    this.#egress = egress;
  }

  get({ id, origin, timeouts: { connectMs } }: RoutedProvider): Pool {
    let pools = this.#providers.get(id);
    if (pools?.origin !== origin) {
      for (const pool of pools?.byConnectMs.values() ?? []) retire(pool);
      pools = { origin, byConnectMs: new Map() };
      this.#providers.set(id, pools);
    }
    let pool = pools.byConnectMs.get(connectMs);
    if (pool === undefined) {
      pool = new SpreadPool(origin, {
        connect: connectToProvider(connectMs, this.#egress),
        headersTimeout: 0,
        bodyTimeout: 0,
        ...HTTP2_OPTIONS,
      });
      pools.byConnectMs.set(connectMs, pool);
    }
    return pool.get();
  }

  /** Closes the pools that the catalog no longer uses; their running requests still end. */
  keepOnly({ providers, models }: Pick<ModelTable, 'providers' | 'models'>): void {
    const used = new Map(
      [...providers.values()].map(({ id, timeouts }) => [id, new Set([timeouts.connectMs])]),
    );
    for (const { upstreams } of models.values()) {
      for (const { provider } of upstreams) used.get(provider.id)?.add(provider.timeouts.connectMs);
    }
    for (const [id, { byConnectMs }] of this.#providers) {
      for (const [connectMs, pool] of byConnectMs) {
        if (used.get(id)?.has(connectMs)) continue;
        byConnectMs.delete(connectMs);
        retire(pool);
      }
      if (!used.has(id)) this.#providers.delete(id);
    }
  }

  async close(): Promise<void> {
    const pools = [...this.#providers.values()].flatMap(({ byConnectMs }) => [...byConnectMs.values()]);
    this.#providers.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

function retire(pool: SpreadPool): void {
  // Resolves after the last request. A failure only concerns unused connections.
  pool.close().catch(() => undefined);
}
