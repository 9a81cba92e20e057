import { isDeepStrictEqual } from 'node:util';
import type {
  CatalogMessage,
  ModelHealthMessage,
  PlatformHealthMessage,
  ProviderCredentialsMessage,
} from '@model-gateway/contracts';
import { type ModelObject, PriceLists, type PriceListVersion } from '@model-gateway/shared';
import { catalogNotArrived } from '@model-gateway/shared/errors';
import { ModelAnswers } from './models/model-answers.ts';
import { modelObjects } from './models/model-objects.ts';
import { Configurations, type ConfiguredModel } from './status/configurations.ts';
import { type ModelHealth, NO_TRAFFIC, parseModelHealth } from './status/model-health.ts';

/** One state of the catalog. Its answers are prepared once, when it arrives. */
export interface CatalogSnapshot {
  revision: string;
  receivedAtMs: number;
  /** Models with upstreams, sorted by id, at the prices of the catalog. */
  models: readonly ModelObject[];
  modelAnswers: ModelAnswers;
  providers: readonly { id: string; name: string }[];
  configurations: Configurations;
  /** The providers that serve each model. */
  upstreams: readonly { id: string; providerIds: readonly string[] }[];
}

/** The last good copy of the catalog. It is still served when the control plane is gone. */
export class CatalogCopy {
  #catalog: { message: CatalogMessage; receivedAtMs: number } | undefined;
  #snapshot: CatalogSnapshot | undefined;
  #health: PlatformHealthMessage | undefined;
  #modelHealth: ModelHealth | undefined;
  #credentials: ProviderCredentialsMessage | undefined;

  receive(catalog: CatalogMessage): void {
    this.#catalog = { message: catalog, receivedAtMs: Date.now() };
    this.#prepare();
  }

  receiveHealth(health: PlatformHealthMessage): void {
    this.#health = health;
  }

  /** Receives new figures, and rebuilds the list of models only when a status has changed. */
  receiveModelHealth(message: ModelHealthMessage): void {
    this.#modelHealth = parseModelHealth(message, Math.floor(Date.now() / 1_000));
    const { configurations, models = [] } = this.#snapshot ?? {};
    if (configurations === undefined) return;
    const isUnchanged = models.every(({ id, status }) => status === this.#stateOf(id, configurations).status);
    if (!isUnchanged) this.#prepare();
  }

  /**
   * Receives which credentials are set, periodically, and rebuilds the list of models only after a change.
   */
  receiveProviderCredentials(credentials: ProviderCredentialsMessage): void {
    if (isDeepStrictEqual(credentials, this.#credentials)) return;
    this.#credentials = credentials;
    this.#prepare();
  }

  get snapshot(): CatalogSnapshot | undefined {
    return this.#snapshot;
  }

  /** Returns the last known health of the platform. It is out of date while the watch is not live. */
  get health(): PlatformHealthMessage | undefined {
    return this.#health;
  }

  /** Returns the last known health of models and providers, with the time of its measurement. */
  get modelHealth(): ModelHealth | undefined {
    return this.#modelHealth;
  }

  /** @throws GatewayError 503 before the first copy has arrived */
  require(): CatalogSnapshot {
    if (this.#snapshot === undefined) throw catalogNotArrived();
    return this.#snapshot;
  }

  #prepare(): void {
    if (this.#catalog === undefined) return;
    const { message, receivedAtMs } = this.#catalog;
    const configurations = new Configurations(message, this.#credentials);
    const modelsAt = (list?: PriceListVersion) =>
      modelObjects(message, (id) => this.#stateOf(id, configurations), list);
    const models = modelsAt();
    const upstreams = message.models.map(({ id, upstreams }) => ({
      id,
      providerIds: upstreams.map(({ provider }) => provider),
    }));
    this.#snapshot = {
      revision: message.revision,
      receivedAtMs,
      models,
      modelAnswers: new ModelAnswers(
        (list) => ({
          models: list === undefined ? models : modelsAt(list),
          virtualModels: message.virtualModels,
          upstreams,
        }),
        new PriceLists(message.priceLists),
      ),
      providers: message.providers.map(({ id, name }) => ({ id, name })),
      configurations,
      upstreams,
    };
  }

  #stateOf(modelId: string, configurations: Configurations): ConfiguredModel {
    const { status } = this.#modelHealth?.models.get(modelId) ?? NO_TRAFFIC;
    return configurations.ofModel(modelId, status);
  }
}
