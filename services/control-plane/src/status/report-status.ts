import process from 'node:process';
import { VERSION } from '@model-gateway/service-kit';
import type { AccountStore } from '../accounts/account-store.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { KnownWatcher, WatcherStore } from '../keys/watcher-store.ts';

export interface ReportStatusContext {
  accountStore: AccountStore;
  catalogStore: CatalogStore;
  keyStore: KeyStore;
  watcherStore: WatcherStore;
}

export interface StatusReport {
  version: string;
  uptimeSeconds: number;
  keyRevision: bigint;
  activeKeys: number;
  accounts: number;
  catalog: { revision: bigint; providers: number; models: number };
  /** The live ones first, then those that ended within the last day. */
  dataPlanes: KnownWatcher[];
}

/** The state of the installation, for operators. @throws when the database cannot be reached */
export async function reportStatus(context: ReportStatusContext): Promise<StatusReport> {
  const [keys, catalog, accounts, dataPlanes] = await Promise.all([
    context.keyStore.count(),
    context.catalogStore.count(),
    context.accountStore.count(),
    context.watcherStore.listKnown(),
  ]);
  return {
    version: VERSION,
    uptimeSeconds: Math.floor(process.uptime()),
    keyRevision: keys.revision,
    activeKeys: keys.active,
    accounts,
    catalog,
    dataPlanes,
  };
}
