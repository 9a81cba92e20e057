/** Counts an amount per owner. Owners without any are forgotten. */
export class Shares {
  readonly #max: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** @param max upper bound of each owner */
  constructor(max: number) {
    this.#max = max;
  }

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#taken.size;
  }

  fits(name: string, amount: number): boolean {
    return (this.#taken.get(name) ?? 0) + amount <= this.#max;
  }

  take(name: string, amount: number): void {
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + amount);
    this.#total += amount;
  }

  giveBack(name: string, amount: number): void {
    const left = (this.#taken.get(name) ?? 0) - amount;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
    this.#total -= amount;
  }
}
