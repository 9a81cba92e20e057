import type { TroubleStore, TroublesSince } from './trouble-store.ts';

export interface IdsInTrouble {
  models: readonly string[];
  providers: readonly string[];
}

/**
 * Remembers when each current trouble began, so that the database is asked once per trouble and not every two
 * seconds.
 */
export class TroubleMemory {
  readonly #store: Pick<TroubleStore, 'since'>;
  #known: TroublesSince = { models: new Map(), providers: new Map() };

  constructor(store: Pick<TroubleStore, 'since'>) {
    this.#store = store;
  }

  /** Returns when troubles began, and forgets past ones. @throws when the database is unreachable */
  async since({ models, providers }: IdsInTrouble): Promise<TroublesSince> {
    const newModels = models.filter((id) => !this.#known.models.has(id));
    const newProviders = providers.filter((id) => !this.#known.providers.has(id));
    const found =
      newModels.length + newProviders.length > 0
        ? await this.#store.since(newModels, newProviders)
        : { models: new Map<string, Date>(), providers: new Map<string, Date>() };
    this.#known = {
      models: pickSince(models, found.models, this.#known.models),
      providers: pickSince(providers, found.providers, this.#known.providers),
    };
    return this.#known;
  }
}

function pickSince(
  ids: readonly string[],
  found: ReadonlyMap<string, Date>,
  known: ReadonlyMap<string, Date>,
): Map<string, Date> {
  return new Map(
    ids.flatMap((id) => {
      const since = known.get(id) ?? found.get(id);
      return since === undefined ? [] : [[id, since] as const];
    }),
  );
}
