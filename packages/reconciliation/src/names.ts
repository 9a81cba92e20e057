/** What the gateway calls the models and credentials of a provider, and what the provider calls them. */
export interface ProviderNames {
  /** Models of the catalog, with their names at the provider. */
  models: readonly { modelId: string; upstreamModels: readonly string[] }[];
  /** Names at the provider by names in the bill, where these differ. */
  billedModels?: ReadonlyMap<string, string>;
  /** Variables by the provider's id or name of the credential. Empty: unknown. */
  credentials?: ReadonlyMap<string, string>;
}

/** The date at the end of a model's name: `-2026-01-31`, `-20260131` or `@20260131`. */
const DATE = /[-@]\d{4}-?\d\d-?\d\d$/;

/** Finds one name for a model, whoever names it. Several models of the catalog may be one at the provider. */
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
      // Models that were apart until this one are one from now on.
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

  ofGateway(modelId: string): string {
    return this.#byModel.get(modelId) ?? modelId;
  }

  /** @param billed its name in the bill; null: the bill names none */
  ofBill(billed: string | null): string | null {
    if (billed === null) return null;
    const name = this.#billed.get(billed) ?? billed;
    return this.#byUpstream.get(name) ?? this.#byUpstream.get(name.replace(DATE, '')) ?? name;
  }
}
