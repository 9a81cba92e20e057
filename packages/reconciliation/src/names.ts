/** Names of models and credentials, in the gateway and in the provider's bill. */
export interface ProviderNames {
  /** Models of the catalog, with their names at the provider (`upstreams[].model`). */
  models: readonly { modelId: string; upstreamModels: readonly string[] }[];
  /** Maps a model's name in the bill to its name at the provider, if the two differ. */
  billedModels?: ReadonlyMap<string, string>;
  /** Maps the provider's id or name of a credential to its variable. Empty: unknown. */
  credentials?: ReadonlyMap<string, string>;
}

/** The date at the end of a model's name: `-2026-01-31`, `-20260131` or `@20260131`. */
const DATE = /[-@]\d{4}-?\d\d-?\d\d$/;

/** Gives a model one name in both sources. Several models of the catalog may be one at the provider. */
export class ModelNames {
  readonly #byUpstream = new Map<string, string>();
  readonly #byModel = new Map<string, string>();
  readonly #billed: ReadonlyMap<string, string>;

  constructor({ billedModels = new Map(), models }: ProviderNames) {
    this.#billed = billedModels;
    for (const { modelId, upstreamModels } of models) {
      const known = upstreamModels.flatMap((name) => this.#byUpstream.get(name) ?? []);
      const [name = known[0] ?? modelId] = known.length > 0 ? known : upstreamModels;
      for (const each of upstreamModels) this.#byUpstream.set(each, name);
      // This model shows that models with different names so far are one at the provider.
      for (const [each, other] of this.#byUpstream)
        if (known.includes(other)) this.#byUpstream.set(each, name);
      for (const [each, other] of this.#byModel) if (known.includes(other)) this.#byModel.set(each, name);
      this.#byModel.set(modelId, name);
    }
    for (const [upstream, name] of [...this.#byUpstream]) {
      const undated = upstream.replace(DATE, '');
      if (!this.#byUpstream.has(undated)) this.#byUpstream.set(undated, name);
    }
  }

  /** Returns the common name of a model of the catalog. */
  nameOf(modelId: string): string {
    return this.#byModel.get(modelId) ?? modelId;
  }

  /** Returns the common name of a model in a bill. @param billed null: the bill names no model */
  nameOfBilled(billed: string | null): string | null {
    if (billed === null) return null;
    const name = this.#billed.get(billed) ?? billed;
    return this.#byUpstream.get(name) ?? this.#byUpstream.get(name.replace(DATE, '')) ?? name;
  }
}
