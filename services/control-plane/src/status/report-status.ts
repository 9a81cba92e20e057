import process from 'node:process';
import { VERSION } from '@model-gateway/service-kit';
import type { AccountStore } from '../accounts/account-store.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { type DescribedCredential, describeCredentials } from '../credentials/describe-credentials.ts';
import type { KnownWatcher, WatcherStore } from '../data-planes/watcher-store.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { completeHealth } from './complete-health.ts';
import type { HealthToSend } from './health-message.ts';
import type { HealthReader } from './health-reader.ts';
import type { WaitingCalls, WaitingStore } from './waiting-store.ts';

export interface ReportStatusContext {
  accountStore: AccountStore;
  catalogStore: CatalogStore;
  credentialStore: CredentialStore;
  keyStore: KeyStore;
  watcherStore: WatcherStore;
  waitingStore: Pick<WaitingStore, 'read'>;
  healthReader: Pick<HealthReader, 'read'>;
}

export interface StatusReport {
  version: string;
  uptimeSeconds: number;
  keyRevision: bigint;
  activeKeys: number;
  accounts: number;
  catalog: { revision: bigint; providers: number; models: number };
  /** Live data planes first, then those ended within a day. */
  dataPlanes: (KnownWatcher & { missingCredentials: string[] })[];
  credentials: DescribedCredential[];
  waiting: WaitingCalls[];
  health: HealthToSend;
}

/** @throws when the database is unreachable */
export async function reportStatus(context: ReportStatusContext): Promise<StatusReport> {
  const [keys, catalog, accounts, dataPlanes, missing, health, waiting] = await Promise.all([
    context.keyStore.count(),
    context.catalogStore.read(),
    context.accountStore.count(),
    context.watcherStore.listKnown(),
    context.credentialStore.missing(),
    context.healthReader.read(),
    context.waitingStore.read(),
  ]);
  return {
    version: VERSION,
    uptimeSeconds: Math.floor(process.uptime()),
    keyRevision: keys.revision,
    activeKeys: keys.active,
    accounts,
    catalog: {
      revision: catalog.revision,
      providers: catalog.providers.length,
      models: catalog.models.length,
    },
    dataPlanes: dataPlanes.map((plane) => ({
      ...plane,
      missingCredentials: missing.get(plane.instanceId) ?? [],
    })),
    credentials: await describeCredentials(catalog, context.credentialStore),
    health: completeHealth(health, catalog),
    waiting,
  };
}
