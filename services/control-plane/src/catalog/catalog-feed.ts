import { setTimeout as wait } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { DatabaseEpoch } from '../database/database-epoch.ts';
import { SingleFlight } from '../database/single-flight.ts';
import { type CatalogToSend, catalogMessage } from './catalog-message.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { StoredCatalog } from './read-catalog-store.ts';

/** A watcher that receives nothing for three seconds treats the control plane as gone. */
const HEARTBEAT_MS = 1_000;
/** When the database does not answer for this long, a new watcher gets the last known catalog. */
const MAX_REFRESH_MS = 1_000;

export interface PlatformHealth {
  databaseReachable: boolean;
  liveDataPlanes: number;
}

/** A catalog with the credentials that operators stored, for watchers that request them. */
export type WatchedCatalog = CatalogToSend & Pick<StoredCatalog, 'credentials'>;

export interface CatalogWatcher {
  sendCatalog(catalog: WatchedCatalog): void;
  sendHealth(health: PlatformHealth): void;
  end(): void;
}

export class CatalogFeed {
  readonly #store: CatalogStore;
  readonly #epoch: Pick<DatabaseEpoch, 'verify'>;
  readonly #watchers = new Set<CatalogWatcher>();
  readonly #joining = new Set<CatalogWatcher>();
  readonly #refresh: SingleFlight;
  #timer: NodeJS.Timeout | undefined;
  #catalog: WatchedCatalog | undefined;
  #closed = false;
  #health: PlatformHealth = { databaseReachable: false, liveDataPlanes: 0 };

  /** @param epoch is checked with every read, at least once a second */
  constructor(store: CatalogStore, epoch: Pick<DatabaseEpoch, 'verify'>, log: Logger) {
    this.#store = store;
    this.#epoch = epoch;
    this.#refresh = new SingleFlight(
      () => this.#read(),
      (error) => {
        if (this.#health.databaseReachable) log.warn({ error }, 'cannot read the catalog');
        this.#health = { ...this.#health, databaseReachable: false };
      },
    );
  }

  /** Reads the catalog now and then every second, also when nobody watches. */
  start(): void {
    this.#refresh.request();
    this.#timer = setInterval(() => {
      this.#refresh.request();
      for (const watcher of [...this.#joining, ...this.#watchers]) watcher.sendHealth(this.#health);
    }, HEARTBEAT_MS);
  }

  get databaseReachable(): boolean {
    return this.#health.databaseReachable;
  }

  /**
   * Adds a watcher. Reads its first catalog after this call, so that a data plane started after an apply
   * finds it; sends the last known one while the database is away.
   * @returns a function that removes the watcher
   */
  add(watcher: CatalogWatcher): () => void {
    this.#joining.add(watcher);
    const timeout = wait(MAX_REFRESH_MS, undefined, { ref: false });
    const join = () => {
      if (this.#closed) return watcher.end();
      if (!this.#joining.delete(watcher)) return;
      this.#watchers.add(watcher);
      watcher.sendHealth(this.#health);
      if (this.#catalog !== undefined) watcher.sendCatalog(this.#catalog);
    };
    inBackground(Promise.race([this.#refresh.requestAndWait(), timeout]).then(join));
    return () => {
      this.#joining.delete(watcher);
      this.#watchers.delete(watcher);
    };
  }

  wake(): void {
    this.#refresh.request();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.end();
    this.#watchers.clear();
    await this.#refresh.settled();
  }

  async #read(): Promise<void> {
    // Before the read: a new epoch changes the revision, so the catalog is sent again.
    await this.#epoch.verify();
    const { revision, liveDataPlanes } = await this.#store.readHeartbeat();
    const changed = !this.#health.databaseReachable || this.#health.liveDataPlanes !== liveDataPlanes;
    this.#health = { databaseReachable: true, liveDataPlanes };
    if (changed) for (const watcher of this.#watchers) watcher.sendHealth(this.#health);
    if (this.#catalog?.revision === String(revision)) return;
    const stored = await this.#store.read();
    this.#catalog = { ...catalogMessage(stored), credentials: stored.credentials };
    for (const watcher of this.#watchers) watcher.sendCatalog(this.#catalog);
  }
}
