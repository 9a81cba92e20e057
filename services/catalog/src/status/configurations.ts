import type { CatalogMessage, ProviderCredentialsMessage } from '@model-gateway/contracts';
import {
  type ComponentStatus,
  type Configuration,
  type ConfigurationGap,
  componentStatus,
  type ModelStatus,
  modelConfiguration,
  providerConfiguration,
} from '@model-gateway/shared';

export interface ConfiguredModel {
  status: ModelStatus;
  configuration?: ConfigurationGap;
}

export interface ConfiguredProvider {
  status: ComponentStatus;
  configuration?: ConfigurationGap;
}

/** Knows which providers have credentials. Traffic cannot show this: no credential, no call. */
export class Configurations {
  readonly #providers: ReadonlyMap<string, Configuration>;
  readonly #upstreams: ReadonlyMap<string, readonly string[]>;

  /**
   * @param credentials the last message about them; undefined: none has come yet, or the control plane is of
   *   an earlier release
   */
  constructor(catalog: CatalogMessage, credentials: ProviderCredentialsMessage | undefined) {
    const reported = credentials?.providers ?? [];
    this.#providers = new Map(reported.map((counts) => [counts.providerId, providerConfiguration(counts)]));
    this.#upstreams = new Map(
      catalog.models.map(({ id, upstreams }) => [id, upstreams.map(({ provider }) => provider)]),
    );
  }

  /** @param status the status that its traffic gives */
  ofModel(modelId: string, status: ComponentStatus): ConfiguredModel {
    const upstreams = (this.#upstreams.get(modelId) ?? []).map((id) => this.#ofProvider(id));
    const configuration = modelConfiguration(upstreams);
    if (configuration === 'not_configured') return { status: configuration, configuration };
    if (configuration !== 'partly_configured') return { status };
    const isServedEverywhere = upstreams.some(
      (upstream) => upstream === 'configured' || upstream === 'unknown',
    );
    return { status: isServedEverywhere ? status : worse(status, 'partial_outage'), configuration };
  }

  /** @param status the status that its traffic and its probes give */
  ofProvider(providerId: string, status: ComponentStatus): ConfiguredProvider {
    const configuration = this.#ofProvider(providerId);
    if (configuration === 'not_configured') return { status: 'major_outage', configuration };
    if (configuration !== 'partly_configured') return { status };
    return { status: worse(status, 'partial_outage'), configuration };
  }

  /** A provider that the message does not name needs no credential, or is unknown. */
  #ofProvider(providerId: string): Configuration {
    return this.#providers.get(providerId) ?? 'unknown';
  }
}

/** Returns the worse of two states, which the enumeration lists from best to worst. */
function worse(one: ComponentStatus, other: ComponentStatus): ComponentStatus {
  const { options } = componentStatus;
  return options.indexOf(one) > options.indexOf(other) ? one : other;
}
