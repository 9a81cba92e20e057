import type { ClientReadableStream } from '@grpc/grpc-js';
import { listeningMs, PatientTimer } from '@model-gateway/service-kit';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';
import type { Catalog__Output as CatalogMessage } from './generated/gateway/v1/Catalog.ts';
import type { ModelHealth__Output as ModelHealthMessage } from './generated/gateway/v1/ModelHealth.ts';
import type { PlatformHealth__Output as PlatformHealthMessage } from './generated/gateway/v1/PlatformHealth.ts';
import type { ProviderCredentials__Output as ProviderCredentialsMessage } from './generated/gateway/v1/ProviderCredentials.ts';
import type { WatchCatalogEvent__Output as WatchCatalogEventMessage } from './generated/gateway/v1/WatchCatalogEvent.ts';

/**
 * The control plane sends a heartbeat every second; after this silence it counts as gone. By the clock that
 * stands still while this process is too busy to hear it.
 */
const SILENCE_MS = 3_000;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;

export interface CatalogWatchOptions {
  client: ControlPlaneClient;
  /**
   * Called with the whole catalog, at once and after every change. Keep it: it stays right while the watch is
   * down.
   */
  onCatalog(catalog: CatalogMessage): void;
  /**
   * `onCatalog` threw: a newer control plane may know what this process does not. What it had stays in force.
   */
  onUnusable(error: unknown): void;
  onHealth?(health: PlatformHealthMessage): void;
  /** How models and providers do; sent only to those who listen. */
  onModelHealth?(health: ModelHealthMessage): void;
  /** Which providers data planes have credentials for; sent only to those who listen. */
  onProviderCredentials?(credentials: ProviderCredentialsMessage): void;
  /** The stream was lost; it is being opened again, at another address if there is one. */
  onLost?(error: Error | undefined): void;
}

/** Keeps CatalogService.WatchCatalog open. */
export class CatalogWatch {
  readonly #options: CatalogWatchOptions;
  #stream: ClientReadableStream<WatchCatalogEventMessage> | undefined;
  #stubs: ControlPlaneStubs | undefined;
  #silence: PatientTimer | undefined;
  #retry: NodeJS.Timeout | undefined;
  #backoffMs = MIN_BACKOFF_MS;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: CatalogWatchOptions) {
    this.#options = options;
  }

  /** Whether the control plane was heard within the last three seconds. */
  isLive(): boolean {
    return listeningMs() - this.#heardAtMs < SILENCE_MS;
  }

  start(): void {
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#silence?.clear();
    clearTimeout(this.#retry);
    this.#stream?.cancel();
  }

  #open(): void {
    const { client, onModelHealth, onProviderCredentials } = this.#options;
    const request = {
      withModelHealth: onModelHealth !== undefined,
      withProviderCredentials: onProviderCredentials !== undefined,
    };
    const stream = client.stubs.catalog.watchCatalog(request, client.metadata);
    this.#stubs = client.stubs;
    this.#stream = stream;
    stream.on('data', (event: WatchCatalogEventMessage) => this.#receive(event));
    stream.on('error', (error) => this.#lost(stream, error));
    stream.on('end', () => this.#lost(stream, undefined));
    this.#silence?.clear();
    this.#silence = new PatientTimer(SILENCE_MS, () => {
      this.#lost(stream, new Error('no heartbeat from the control plane'));
      stream.cancel();
    });
  }

  #receive(event: WatchCatalogEventMessage): void {
    if (this.#closed) return;
    this.#heardAtMs = listeningMs();
    this.#backoffMs = MIN_BACKOFF_MS;
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

  #lost(stream: ClientReadableStream<WatchCatalogEventMessage>, error: Error | undefined): void {
    if (stream !== this.#stream || this.#closed) return;
    this.#stream = undefined;
    this.#silence?.clear();
    this.#options.onLost?.(error);
    if (this.#stubs !== undefined) this.#options.client.moveOn(this.#stubs);
    // Jitter, so that a fleet does not come back as one wave.
    const delayMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => this.#open(), delayMs);
  }
}
