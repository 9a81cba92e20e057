/** How much of something each of many owners has. Owners that have nothing are not remembered. */
export class Shares {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** @param most how much each owner may have */
  constructor(most: number) {
    this.#most = most;
  }

  /** How much all owners have together. */
  get total(): number {
    return this.#total;
  }

  /** How many owners have something. */
  get size(): number {
    return this.#taken.size;
  }

  hasRoom(name: string, amount: number): boolean {
    return (this.#taken.get(name) ?? 0) + amount <= this.#most;
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
