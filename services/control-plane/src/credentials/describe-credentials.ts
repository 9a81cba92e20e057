import {
  type CatalogDocument,
  type Configuration,
  type CredentialCounts,
  modelConfiguration,
  providerConfiguration,
} from '@model-gateway/shared';
import type { CredentialStore } from './credential-store.ts';

/** Replies of data planes about one credential, and the result for its models. */
export interface DescribedCredential extends CredentialCounts {
  providerId: string;
  variable: string;
  /** Combined result for a provider with several variables, of which one suffices. */
  providerConfiguration?: Configuration;
  models: { modelId: string; configuration: Configuration }[];
}

interface DescribedCatalog {
  providers: readonly Pick<CatalogDocument['providers'][number], 'id' | 'credential_env'>[];
  models: readonly Pick<CatalogDocument['models'][number], 'id' | 'upstreams'>[];
}

const NO_REPLIES: CredentialCounts = { setIn: 0, missingIn: 0, unknownIn: 0 };

/** @returns an entry for each credential of each provider that needs one */
export async function describeCredentials(
  { models, providers }: DescribedCatalog,
  credentialStore: Pick<CredentialStore, 'counts'>,
): Promise<DescribedCredential[]> {
  const needed = providers.flatMap(({ credential_env: variables, id }) =>
    variables === undefined ? [] : [{ name: id, variables }],
  );
  const each = [...new Set(needed.flatMap(({ variables }) => variables))];
  const [ofProviders, ofVariables] = await Promise.all([
    credentialStore.counts(needed),
    credentialStore.counts(each.map((variable) => ({ name: variable, variables: [variable] }))),
  ]);
  const configurations = new Map(
    needed.map(({ name }) => [name, providerConfiguration(ofProviders.get(name) ?? NO_REPLIES)]),
  );
  const modelsOf = modelsByProvider(models, configurations);
  return needed.flatMap(({ name: providerId, variables }) =>
    variables.map((variable) => ({
      providerId,
      variable,
      ...(ofVariables.get(variable) ?? NO_REPLIES),
      ...(variables.length > 1 ? { providerConfiguration: configurations.get(providerId) ?? 'unknown' } : {}),
      models: modelsOf.get(providerId) ?? [],
    })),
  );
}

function modelsByProvider(
  models: DescribedCatalog['models'],
  configurations: ReadonlyMap<string, Configuration>,
): Map<string, DescribedCredential['models']> {
  const byProvider = new Map<string, DescribedCredential['models']>(
    [...configurations.keys()].map((providerId) => [providerId, []]),
  );
  for (const { id: modelId, upstreams } of models) {
    const providerIds = new Set(upstreams.map(({ provider }) => provider));
    const configuration = modelConfiguration(
      [...providerIds].map((provider) => configurations.get(provider) ?? 'configured'),
    );
    for (const provider of providerIds) byProvider.get(provider)?.push({ modelId, configuration });
  }
  return byProvider;
}
