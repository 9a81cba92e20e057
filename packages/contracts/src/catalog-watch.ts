import type { ClientReadableStream } from '@grpc/grpc-js';
import { Gauge, listeningMs, PatientTimer, type Registry } from '@model-gateway/service-kit';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { Catalog__Output as CatalogMessage } from './generated/gateway/v1/Catalog.ts';
import type { ModelHealth__Output as ModelHealthMessage } from './generated/gateway/v1/ModelHealth.ts';
import type { PlatformHealth__Output as PlatformHealthMessage } from './generated/gateway/v1/PlatformHealth.ts';
import type { ProviderCredentials__Output as ProviderCredentialsMessage } from './generated/gateway/v1/ProviderCredentials.ts';
import type { SealedCredential__Output as SealedCredentialMessage } from './generated/gateway/v1/SealedCredential.ts';
import type { WatchCatalogEvent__Output as WatchCatalogEventMessage } from './generated/gateway/v1/WatchCatalogEvent.ts';
import { ReopeningStream } from './reopening-stream.ts';

type WatchStream = ClientReadableStream<WatchCatalogEventMessage>;

/**
 * Silence after which a control plane counts as gone (it sends a heartbeat each second), by a clock that
 * stops while this process is stalled.
 */
const SILENCE_MS = 3_000;
const MIN_BACKOFF_MS = 100;

export interface CatalogWatchOptions {
  client: ControlPlaneClient;
  registry: Registry;
  /** Prices that this process can charge; others are not sent to it. */
  knownPrices: readonly string[];
  /**
   * Called before each catalog with all stored credentials of providers, encrypted. An older control plane
   * sends none: then it is not called, and earlier ones stay valid.
   */
  onCredentials?(credentials: readonly SealedCredentialMessage[]): void;
  /**
   * Called with the whole catalog, at once and after every change. Keep it: it stays valid while the watch is
   * down.
   */
  onCatalog(catalog: CatalogMessage): void;
  /**
   * Called when `onCatalog` threw, for example on unknown fields of a newer control plane. The earlier
   * catalog stays in force.
   */
  onUnusable(error: unknown): void;
  onHealth?(health: PlatformHealthMessage): void;
  /** Called with health figures, which are sent only to listeners. */
  onModelHealth?(health: ModelHealthMessage): void;
  /** Called with credential counts by provider, which are sent only to listeners. */
  onProviderCredentials?(credentials: ProviderCredentialsMessage): void;
  onLost?(error: Error | undefined): void;
}

/** Keeps CatalogService.WatchCatalog open, and reopens it. */
export class CatalogWatch {
  readonly #options: CatalogWatchOptions;
  readonly #stream: ReopeningStream<WatchCatalogEventMessage, WatchStream>;
  #silence: PatientTimer | undefined;
  #heardAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CatalogWatchOptions) {
    this.#options = options;
    const request = {
      withModelHealth: options.onModelHealth !== undefined,
      withProviderCredentials: options.onProviderCredentials !== undefined,
      knownPrices: [...options.knownPrices],
      withCredentials: options.onCredentials !== undefined,
    };
    this.#stream = new ReopeningStream({
      client: options.client,
      minBackoffMs: MIN_BACKOFF_MS,
      open: ({ catalog }, metadata) => catalog.watchCatalog(request, metadata),
      onOpen: (stream) => this.#listen(stream),
      onEvent: (_, event) => this.#receive(event),
      onLost: (error) => {
        this.#silence?.clear();
        options.onLost?.(error);
      },
    });
    const isLive = () => this.isLive();
    new Gauge({
      name: 'gateway_catalog_watch_live',
      help: '1 while the control plane is heard on the stream of the catalog.',
      registers: [options.registry],
      collect() {
        this.set(isLive() ? 1 : 0);
      },
    });
  }

  /** True when heard within the last three seconds. */
  isLive(): boolean {
    return listeningMs() - this.#heardAtMs < SILENCE_MS;
  }

  start(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
    this.#silence?.clear();
    this.#stream.current?.cancel();
  }

  #listen(stream: WatchStream): void {
    this.#silence?.clear();
    this.#silence = new PatientTimer(SILENCE_MS, () =>
      this.#stream.giveUp(stream, 'no heartbeat from the control plane'),
    );
  }

  #receive(event: WatchCatalogEventMessage): void {
    if (this.#stream.isClosed) return;
    this.#heardAtMs = listeningMs();
    this.#stream.resetBackoff();
    this.#silence?.refresh();
    if (event.catalog) this.#deliver(event.catalog, event.hasCredentials ? event.credentials : undefined);
    if (event.heartbeat) this.#options.onHealth?.(event.heartbeat);
    if (event.modelHealth) this.#options.onModelHealth?.(event.modelHealth);
    if (event.providerCredentials) this.#options.onProviderCredentials?.(event.providerCredentials);
  }

  #deliver(catalog: CatalogMessage, credentials: readonly SealedCredentialMessage[] | undefined): void {
    try {
      if (credentials !== undefined) this.#options.onCredentials?.(credentials);
      this.#options.onCatalog(catalog);
    } catch (error) {
      this.#options.onUnusable(error);
    }
  }
}
