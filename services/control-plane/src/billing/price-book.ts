import type { Price } from '@model-gateway/shared';
import type { PriceStore } from './price-store.ts';

export class PriceBook {
  readonly #store: Pick<PriceStore, 'find'>;
  readonly #known = new Map<string, Price>();

  constructor(store: Pick<PriceStore, 'find'>) {
    this.#store = store;
  }

  /** @returns undefined for a version that never existed */
  async find(modelId: string, version: number): Promise<Price | undefined> {
    const id = `${modelId} ${version}`;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const price = await this.#store.find(modelId, version);
    if (price !== undefined) this.#known.set(id, price);
    return price;
  }

  /** Forgets all prices: another database may use the same version numbers for other prices. */
  forget(): void {
    this.#known.clear();
  }
}
