import type { Price, PriceListVersion } from '@model-gateway/shared';
import type { PriceStore } from './price-store.ts';

export class PriceBook {
  readonly #store: Pick<PriceStore, 'find' | 'findList'>;
  readonly #known = new Map<string, Price>();
  readonly #lists = new Map<number, PriceListVersion>();

  constructor(store: Pick<PriceStore, 'find' | 'findList'>) {
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

  /** Returns a version of a price list; undefined: there was never one with this number. */
  async findList(number: number): Promise<PriceListVersion | undefined> {
    const known = this.#lists.get(number) ?? (await this.#store.findList(number));
    if (known !== undefined) this.#lists.set(number, known);
    return known;
  }

  /** Forgets all prices: another database may use the same version numbers for other prices. */
  forget(): void {
    this.#known.clear();
    this.#lists.clear();
  }
}
