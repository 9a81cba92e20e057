import { CatalogWatch, type ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { type CredentialSeal, KNOWN_PRICES } from '@model-gateway/shared';
import { type ModelTable, modelTable } from '../catalog/model-table.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import { Guardrails } from '../guardrails/guardrails.ts';
import { FetchedCredentials } from './fetched-credentials.ts';
import { MissingCredentials } from './missing-credentials.ts';
import { ProviderBreakers } from './provider-breakers.ts';
import { ProviderCredentials } from './provider-credentials.ts';
import { ProviderPools } from './provider-pools.ts';
import { RefusedAccessLog } from './refused-access-log.ts';
import { RefusedCredentials } from './refused-credentials.ts';
import { RetryBudget } from './retry-budget.ts';
import { StoredCredentials } from './stored-credentials.ts';

interface ProviderPartsInput {
  /** Returns the value of an environment variable that may be a credential. */
  variable: (name: string) => string | undefined;
  seals: readonly CredentialSeal[];
  egress: EgressProxy;
  client: ControlPlaneClient;
  /** Replaced by tests. */
  overrides: { breakers?: ProviderBreakers; credentials?: ProviderCredentials };
  registry: Registry;
  log: Logger;
}

/** Wires the catalog and the parts that track its providers, which each new catalog updates. */
export function createProviderParts(input: ProviderPartsInput) {
  const { client, egress, log, overrides, registry, seals, variable } = input;
  const stored = new StoredCredentials({ seals, variable, log });
  const credential = stored.get;
  const pools = new ProviderPools(egress);
  const breakers = overrides.breakers ?? new ProviderBreakers();
  const refusedAccess = new RefusedAccessLog(log);
  const refusedCredentials = new RefusedCredentials();
  const fetchedCredentials = new FetchedCredentials({ egress, log, variable: credential });
  const credentials = overrides.credentials ?? new ProviderCredentials(credential);
  const missingCredentials = new MissingCredentials({ credential, variable, log });
  const guardrails = new Guardrails({ credential, egress, registry, log });
  const models: { table: ModelTable | undefined } = { table: undefined };
  const catalogWatch = new CatalogWatch({
    client,
    registry,
    knownPrices: KNOWN_PRICES,
    onCredentials: (sealed) => {
      const changed = stored.replace(sealed);
      if (changed.size === 0) return;
      log.info({ variables: [...changed] }, 'stored credentials of providers changed');
      credentials.forgetValues();
      fetchedCredentials.forgetAll();
      for (const { credentials: all, id } of models.table?.providers.values() ?? []) {
        const isAffected = all.some((each) => each.source !== undefined || changed.has(each.variable ?? ''));
        if (isAffected) for (const part of [breakers, refusedCredentials]) part.forget(id);
      }
    },
    onCatalog: (catalog) => {
      const table = modelTable(catalog);
      guardrails.update(catalog);
      models.table = table;
      pools.keepOnly(table);
      breakers.keepOnly(table);
      for (const part of [credentials, refusedAccess, refusedCredentials, fetchedCredentials])
        part.keepOnly(table.providers);
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
    refusedCredentials,
    fetchedCredentials,
    credentials,
    missingCredentials,
    models,
    guardrails,
    catalogWatch,
    retryBudget: new RetryBudget(),
  };
}
