/** One value for each label name, in their order. */
export type LabelValues<Names extends readonly string[]> = { readonly [Position in keyof Names]: string };

/**
 * Finds the children of a metric by their label values, with one look-up per label. The library joins the
 * values to a string, which takes ten times as long.
 */
export class Labelled<const Names extends readonly string[], Child> {
  /** In the order in which they were created. */
  readonly children: { child: Child; labels: Record<string, string> }[] = [];
  readonly #root = new Branch<Child>();
  readonly #names: Names;
  readonly #create: () => Child;

  constructor(names: Names, create: () => Child) {
    this.#names = names;
    this.#create = create;
    // The only child of a metric without labels is there from the start.
    if (names.length === 0) this.#root.child = this.#open([]);
  }

  at(values: LabelValues<Names>): Child {
    let branch = this.#root;
    for (const value of values) branch = branch.at(value);
    branch.child ??= this.#open(values);
    return branch.child;
  }

  #open(values: readonly string[]): Child {
    const child = this.#create();
    const labels = Object.fromEntries(this.#names.map((name, at) => [name, values[at] ?? '']));
    this.children.push({ child, labels });
    return child;
  }
}

/** The label values that were seen after those that lead to this branch. */
class Branch<Child> {
  readonly #next = new Map<string, Branch<Child>>();
  child: Child | undefined;

  at(value: string): Branch<Child> {
    let next = this.#next.get(value);
    if (next === undefined) {
      next = new Branch<Child>();
      this.#next.set(value, next);
    }
    return next;
  }
}
