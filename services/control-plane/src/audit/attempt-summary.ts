import { addressGroup } from '@model-gateway/service-kit';

/** Addresses and accounts that are counted apart; the rest is in the sum only. */
const MAX_COUNTED = 1_000;
const MAX_NAMED = 10;

/** Counts attempts that get no row of their own, in bounded memory. */
export class AttemptSummary {
  readonly #since = new Date();
  readonly #actions = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  readonly #accounts = new Map<string, number>();
  #count = 0;

  add({ action, ip, accountId }: { action: string; ip: string | undefined; accountId: string | null }): void {
    this.#count++;
    addTo(this.#actions, action);
    if (ip !== undefined) addTo(this.#addresses, addressGroup(ip));
    if (accountId !== null) addTo(this.#accounts, accountId);
  }

  /** Returns the counts, with the most frequent addresses and accounts; undefined when there are none. */
  describe(): object | undefined {
    if (this.#count === 0) return undefined;
    return {
      since: this.#since.toISOString(),
      until: new Date().toISOString(),
      count: this.#count,
      actions: mostFrequent(this.#actions),
      addresses: mostFrequent(this.#addresses),
      accounts: mostFrequent(this.#accounts),
    };
  }
}

function addTo(counts: Map<string, number>, name: string): void {
  const count = counts.get(name);
  if (count !== undefined || counts.size < MAX_COUNTED) counts.set(name, (count ?? 0) + 1);
}

function mostFrequent(counts: ReadonlyMap<string, number>): { name: string; count: number }[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_NAMED);
}
