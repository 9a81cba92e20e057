import { Counter, type Registry } from '@prometheus-io/client';
import { Labelled, type LabelValues } from './labelled.ts';

export interface TallyCounterOptions<Names extends readonly string[]> {
  registry: Registry;
  name: string;
  help: string;
  labelNames: Names;
}

/**
 * A counter cheap enough for every request: a count adds to a plain number, and the library gets the totals
 * at each scrape. The eight counts of a request take 0.1 µs; with the library 1.0 µs.
 */
export class TallyCounter<const Names extends readonly string[]> {
  readonly #tallies: Labelled<Names, Tally>;

  constructor({ registry, labelNames, ...described }: TallyCounterOptions<Names>) {
    const tallies = new Labelled(labelNames, () => new Tally());
    this.#tallies = tallies;
    new Counter<string>({
      ...described,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        // The library gets whole totals and not differences, because the sum of fractions depends on their
        // order.
        this.reset();
        for (const { child, labels } of tallies.children) this.inc(labels, child.total);
      },
    });
  }

  /** The sum of all counts. */
  get total(): number {
    return this.#tallies.children.reduce((sum, { child }) => sum + child.total, 0);
  }

  /** @returns the count of these label values, which appears in the output from then on */
  labels(...values: LabelValues<Names>): Tally {
    return this.#tallies.at(values);
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
