import {
  type CatalogDocument,
  type Configuration,
  type CredentialCounts,
  modelConfiguration,
  providerConfiguration,
} from '@model-gateway/shared';

/** The data planes' answers about a provider's credential, and what they mean for its models. */
export interface DescribedCredential extends CredentialCounts {
  providerId: string;
  variable: string;
  /** The models that have an upstream at this provider. */
  models: { modelId: string; configuration: Configuration }[];
}

/**
 * @param catalog a document, or the catalog in force
 * @param counts the answers, by variable
 * @returns an entry for each provider that needs a credential
 */
export function describeCredentials(
  {
    providers,
    models,
  }: {
    providers: readonly Pick<CatalogDocument['providers'][number], 'id' | 'credential_env'>[];
    models: readonly Pick<CatalogDocument['models'][number], 'id' | 'upstreams'>[];
  },
  counts: ReadonlyMap<string, CredentialCounts>,
): DescribedCredential[] {
  const described: DescribedCredential[] = [];
  const configurations = new Map<string, Configuration>();
  for (const { id, credential_env: variable } of providers) {
    if (variable === undefined) continue;
    const count = counts.get(variable) ?? { setIn: 0, missingIn: 0, unknownIn: 0 };
    configurations.set(id, providerConfiguration(count));
    described.push({ providerId: id, variable, ...count, models: [] });
  }
  const byProvider = new Map(described.map((credential) => [credential.providerId, credential]));
  for (const { id, upstreams } of models) {
    const providerIds = new Set(upstreams.map(({ provider }) => provider));
    const configuration = modelConfiguration(
      [...providerIds].map((provider) => configurations.get(provider) ?? 'configured'),
    );
    for (const provider of providerIds) byProvider.get(provider)?.models.push({ modelId: id, configuration });
  }
  return described;
}
