/** How much each of many has of something; those who have nothing are not remembered. */
export class Shares {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** @param most what each of them may have */
  constructor(most: number) {
    this.#most = most;
  }

  /** Of all together. */
  get total(): number {
    return this.#total;
  }

  hasRoom(name: string, amount: number): boolean {
    return (this.#taken.get(name) ?? 0) + amount <= this.#most;
  }

  /** @returns false when that would be more than it may have, and nothing was taken */
  take(name: string, amount: number): boolean {
    const taken = (this.#taken.get(name) ?? 0) + amount;
    if (taken > this.#most) return false;
    this.#taken.set(name, taken);
    this.#total += amount;
    return true;
  }

  giveBack(name: string, amount: number): void {
    const left = (this.#taken.get(name) ?? 0) - amount;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
    this.#total -= amount;
  }
}
