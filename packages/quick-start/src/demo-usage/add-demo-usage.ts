import { catalogFile } from '@model-gateway/cli/catalog-file';
import type { ControlPlaneClient } from '@model-gateway/contracts';
import {
  type CatalogModel,
  catalogDocument,
  displayPrefix,
  generateApiKey,
  lookupHash,
  newId,
  newRequestId,
} from '@model-gateway/shared';
import { CALL_DEADLINE_MS } from '../gateway/call-deadline.ts';
import type { PricedModel } from './demo-models.ts';
import { storeDemoUsage } from './demo-usage-store.ts';
import { DEMO_DAYS, generateUsage, type WorkloadUsage } from './generate-usage.ts';

export interface AddDemoUsageOptions {
  client: ControlPlaneClient;
  databaseUrl: string;
  /** The pepper with which the control plane hashes keys. */
  pepper: string;
  /** Only models of providers with this base URL get usage, so that nobody takes it for a real bill. */
  simulatedBaseUrl: string;
}

const DAY_MS = 86_400_000;
/** Made-up requests ended at least this long ago, so that lists show the user's real requests first. */
const LATEST_MS = 3 * 60_000;

/**
 * Gives an account thirty days of made-up usage of the simulated models, once, with keys that nobody has, for
 * the charts of the dashboard.
 * @param idOrEmail the account's id or e-mail address
 * @returns the number of requests; 0 when the account has some already, or when there are no models
 * @throws an error of gRPC (NOT_FOUND: there is no such account) or of the database
 */
export async function addDemoUsage(
  { client, databaseUrl, pepper, simulatedBaseUrl }: AddDemoUsageOptions,
  idOrEmail: string,
): Promise<number> {
  const request = { account: idOrEmail };
  const { accountId } = await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', request);
  const models = await simulatedModels(client, simulatedBaseUrl);
  const untilMs = Date.now() - LATEST_MS;
  return await storeDemoUsage(databaseUrl, accountId, () => {
    const createdAt = new Date(untilMs - DEMO_DAYS * DAY_MS);
    const onKeys = generateUsage({ models, untilMs, seed: accountId }).map((usage) =>
      onKey(usage, createdAt, pepper),
    );
    return { keys: onKeys.map(({ key }) => key), requests: onKeys.flatMap((each) => each.requests) };
  });
}

/** Returns the models of the catalog in force that only providers at this address serve. */
export async function simulatedModels(client: ControlPlaneClient, baseUrl: string): Promise<PricedModel[]> {
  const catalog = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
  const priceVersions = new Map(catalog.models.map(({ id, priceVersion }) => [id, priceVersion]));
  const { models, providers } = catalogDocument.parse(catalogFile(catalog));
  const simulated = new Set(providers.filter(({ base_url }) => base_url === baseUrl).map(({ id }) => id));
  const isSimulated = ({ upstreams }: CatalogModel) =>
    upstreams.every(({ provider }) => simulated.has(provider));
  return models.filter(isSimulated).map((model) => ({ ...model, priceVersion: priceVersions.get(model.id) }));
}

/** Puts usage on a new key. Its raw form is dropped, so that nobody can use it. */
function onKey({ workload: { name }, requests }: WorkloadUsage, createdAt: Date, pepper: string) {
  const rawKey = generateApiKey();
  const keyId = newId('key');
  const hashed = { lookupHash: lookupHash(pepper, rawKey), displayPrefix: displayPrefix(rawKey) };
  return {
    key: { id: keyId, name, ...hashed, createdAt },
    requests: requests.map((request) => ({ ...request, requestId: newRequestId(), keyId })),
  };
}
