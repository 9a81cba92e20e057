import type { CatalogMessage, PlatformHealthMessage } from '@model-gateway/contracts';
import { GatewayError, type ModelObject } from '@model-gateway/shared';
import { modelObjects } from './models/model-objects.ts';

/** One state of the catalog, prepared once when it arrives. */
export interface CatalogSnapshot {
  revision: string;
  receivedAtMs: number;
  /** Sorted by id. */
  models: readonly ModelObject[];
  modelById: ReadonlyMap<string, ModelObject>;
  providers: readonly { id: string; name: string }[];
}

/** The last good copy. It goes on being served when the control plane is gone. */
export class CatalogCopy {
  #snapshot: CatalogSnapshot | undefined;
  #health: PlatformHealthMessage | undefined;

  receive(catalog: CatalogMessage): void {
    const models = modelObjects(catalog);
    this.#snapshot = {
      revision: catalog.revision,
      receivedAtMs: Date.now(),
      models,
      modelById: new Map(models.map((model) => [model.id, model])),
      providers: catalog.providers.map(({ id, name }) => ({ id, name })),
    };
  }

  receiveHealth(health: PlatformHealthMessage): void {
    this.#health = health;
  }

  get snapshot(): CatalogSnapshot | undefined {
    return this.#snapshot;
  }

  /** What the control plane last said of the platform; old when its watch is not live. */
  get health(): PlatformHealthMessage | undefined {
    return this.#health;
  }

  /** @throws GatewayError 503 before the first copy has arrived */
  require(): CatalogSnapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const message = 'The model catalog has not arrived from the control plane yet. Retry in a second.';
    throw new GatewayError('control_plane_unavailable', message);
  }
}
