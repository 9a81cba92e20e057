import { CatalogWatch, type ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { KNOWN_PRICES } from '@model-gateway/shared';
import { type ModelTable, modelTable } from '../catalog/model-table.ts';
import { FetchedCredentials } from './fetched-credentials.ts';
import { MissingCredentials } from './missing-credentials.ts';
import { ProviderBreakers } from './provider-breakers.ts';
import { ProviderCredentials } from './provider-credentials.ts';
import { ProviderPools } from './provider-pools.ts';
import { RefusedAccessLog } from './refused-access-log.ts';
import { RetryBudget } from './retry-budget.ts';

interface ProviderPartsInput {
  credential: (variable: string) => string | undefined;
  client: ControlPlaneClient;
  /** Replaced by tests. */
  overrides: { breakers?: ProviderBreakers; credentials?: ProviderCredentials };
  registry: Registry;
  log: Logger;
}

/** Wires the catalog and the parts that track its providers, which each new catalog updates. */
export function createProviderParts({ client, credential, log, overrides, registry }: ProviderPartsInput) {
  const pools = new ProviderPools();
  const breakers = overrides.breakers ?? new ProviderBreakers();
  const refusedAccess = new RefusedAccessLog(log);
  const fetchedCredentials = new FetchedCredentials({ log, variable: credential });
  const credentials = overrides.credentials ?? new ProviderCredentials(credential);
  const missingCredentials = new MissingCredentials({ credential, log });
  const models: { table: ModelTable | undefined } = { table: undefined };
  const catalogWatch = new CatalogWatch({
    client,
    registry,
    knownPrices: KNOWN_PRICES,
    onCatalog: (catalog) => {
      const table = modelTable(catalog);
      models.table = table;
      pools.keepOnly(table);
      breakers.keepOnly(table);
      for (const part of [credentials, refusedAccess, fetchedCredentials]) part.keepOnly(table.providers);
      log.info({ revision: table.revision, models: table.models.size }, 'catalog received');
      missingCredentials.catalogChanged(table.providers);
    },
    onUnusable: (error) => log.error({ error }, 'the catalog received cannot be used'),
    onLost: (error) => log.warn({ error: error?.message }, 'catalog watch lost, reconnecting'),
  });
  return {
    pools,
    breakers,
    refusedAccess,
    fetchedCredentials,
    credentials,
    missingCredentials,
    models,
    catalogWatch,
    retryBudget: new RetryBudget(),
  };
}
