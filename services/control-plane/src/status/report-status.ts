import process from 'node:process';
import { VERSION } from '@model-gateway/service-kit';
import type { AccountStore } from '../accounts/account-store.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { describeCredentials } from '../credentials/describe-credentials.ts';
import type { WatcherStore } from '../data-planes/watcher-store.ts';
import type { ProcessReportStore } from '../fleet/process-report-store.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { omitAbsent } from '../omit-absent.ts';
import { completeHealth } from './complete-health.ts';
import type { HealthReader } from './health-reader.ts';
import type { WaitingStore } from './waiting-store.ts';

export interface ReportStatusContext {
  accountStore: AccountStore;
  catalogStore: CatalogStore;
  credentialStore: CredentialStore;
  keyStore: KeyStore;
  watcherStore: WatcherStore;
  processReportStore: Pick<ProcessReportStore, 'listDataPlanes' | 'listControlPlanes'>;
  waitingStore: Pick<WaitingStore, 'read'>;
  healthReader: Pick<HealthReader, 'read'>;
}

/** @throws when the database is unreachable */
export async function reportStatus(context: ReportStatusContext) {
  const [keys, catalog, accounts, dataPlanes, reported, controlPlanes, missing, health, waitingCalls] =
    await Promise.all([
      context.keyStore.count(),
      context.catalogStore.read(),
      context.accountStore.count(),
      context.watcherStore.listKnown(),
      context.processReportStore.listDataPlanes(),
      context.processReportStore.listControlPlanes(),
      context.credentialStore.missing(),
      context.healthReader.read(),
      context.waitingStore.read(),
    ]);
  const reports = new Map(reported.map((each) => [each.id, each]));
  return {
    version: VERSION,
    uptimeSeconds: Math.floor(process.uptime()),
    keyRevision: String(keys.revision),
    catalogRevision: String(catalog.revision),
    accounts,
    activeKeys: keys.active,
    providers: catalog.providers.length,
    models: catalog.models.length,
    dataPlanes: dataPlanes.map(({ ackedRevision, endedAt, ...plane }) => ({
      ...plane,
      ackedRevision: String(ackedRevision),
      live: endedAt === null,
      ...omitAbsent({ endedAtMs: endedAt?.getTime() }),
      missingCredentials: missing.get(plane.instanceId) ?? [],
      reported: reports.get(plane.instanceId),
    })),
    controlPlanes,
    credentials: await describeCredentials(catalog, context.credentialStore),
    waitingCalls,
    health: completeHealth(health, catalog),
  };
}
