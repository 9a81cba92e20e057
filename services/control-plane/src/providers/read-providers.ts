import type { ControlPlaneContext } from '../context.ts';
import { readCredentials } from '../credentials/read-credentials.ts';
import { completeHealth } from '../status/complete-health.ts';

type ReadContext = Pick<
  ControlPlaneContext,
  | 'catalogStore'
  | 'credentialSeals'
  | 'credentialStore'
  | 'healthReader'
  | 'providerReportStore'
  | 'storedCredentialStore'
>;

/** Reads the catalog in force and its health. */
export async function readCatalogHealth({
  catalogStore,
  healthReader,
}: Pick<ReadContext, 'catalogStore' | 'healthReader'>) {
  const [catalog, health, traffic] = await Promise.all([
    catalogStore.read(),
    healthReader.read(),
    healthReader.traffic(),
  ]);
  const complete = completeHealth(health, {
    providers: catalog.providers,
    models: [...catalog.models, ...catalog.virtualModels],
  });
  return {
    catalog,
    traffic,
    healthOfModel: new Map(complete.models.map((each) => [each.id, each])),
    healthOfProvider: new Map(complete.providers.map((each) => [each.id, each])),
  };
}
export type CatalogHealth = Awaited<ReturnType<typeof readCatalogHealth>>;

/** Reads what the gateway knows about its providers. */
export async function readProviders(context: ReadContext) {
  const [state, credentials, reports] = await Promise.all([
    readCatalogHealth(context),
    readCredentials(context),
    context.providerReportStore.read(),
  ]);
  return { ...state, credentials, reports };
}
export type ProvidersState = Awaited<ReturnType<typeof readProviders>>;
