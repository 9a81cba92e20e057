import type { ClientReadableStream } from '@grpc/grpc-js';
import { Gauge, listeningMs, PatientTimer, type Registry } from '@model-gateway/service-kit';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { Catalog__Output as CatalogMessage } from './generated/gateway/v1/Catalog.ts';
import type { ModelHealth__Output as ModelHealthMessage } from './generated/gateway/v1/ModelHealth.ts';
import type { PlatformHealth__Output as PlatformHealthMessage } from './generated/gateway/v1/PlatformHealth.ts';
import type { ProviderCredentials__Output as ProviderCredentialsMessage } from './generated/gateway/v1/ProviderCredentials.ts';
import type { WatchCatalogEvent__Output as WatchCatalogEventMessage } from './generated/gateway/v1/WatchCatalogEvent.ts';
import { ReopeningStream } from './reopening-stream.ts';

type WatchStream = ClientReadableStream<WatchCatalogEventMessage>;

/**
 * The control plane sends a heartbeat every second, and counts as gone after this silence. It is measured by
 * the clock that stands still while this process is too busy to listen.
 */
const SILENCE_MS = 3_000;
const MIN_BACKOFF_MS = 100;

export interface CatalogWatchOptions {
  client: ControlPlaneClient;
  registry: Registry;
  /** What this process can charge, or shows only: no other prices are sent to it. */
  knownPrices: readonly string[];
  /**
   * Called with the whole catalog, at once and after every change. The listener must keep it: it stays right
   * while the watch is down.
   */
  onCatalog(catalog: CatalogMessage): void;
  /**
   * Called when `onCatalog` threw, because a newer control plane may know what this process does not. The
   * earlier catalog stays in force.
   */
  onUnusable(error: unknown): void;
  onHealth?(health: PlatformHealthMessage): void;
  /** Called with how models and providers do. The control plane sends this only to those who listen. */
  onModelHealth?(health: ModelHealthMessage): void;
  /**
   * Called with the providers for which data planes have credentials. The control plane sends this only to
   * those who listen.
   */
  onProviderCredentials?(credentials: ProviderCredentialsMessage): void;
  /** Called when the stream was lost. It is being opened again, at another address if there is one. */
  onLost?(error: Error | undefined): void;
}

/** Keeps CatalogService.WatchCatalog open. */
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

  /** Whether the control plane was heard within the last three seconds. */
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
    if (event.catalog) this.#deliver(event.catalog);
    if (event.heartbeat) this.#options.onHealth?.(event.heartbeat);
    if (event.modelHealth) this.#options.onModelHealth?.(event.modelHealth);
    if (event.providerCredentials) this.#options.onProviderCredentials?.(event.providerCredentials);
  }

  #deliver(catalog: CatalogMessage): void {
    try {
      this.#options.onCatalog(catalog);
    } catch (error) {
      this.#options.onUnusable(error);
    }
  }
}
