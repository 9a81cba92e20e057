/** Names go into a header of the answer: no more of them, and no longer ones, than it should have. */
const MAX_NAMES = 40;
const PLAIN_NAME = /^[\w.[\]-]{1,100}$/;
const OTHERS = 'others';

/** The names of what of a request is left out, for `x-gateway-ignored`, whatever its caller has called it. */
export class IgnoredNames {
  readonly #names = new Set<string>();

  /** @param name of a field, without numbers: `messages[].name` */
  add(name: string): void {
    const isShown = PLAIN_NAME.test(name) && this.#names.size < MAX_NAMES;
    this.#names.add(isShown ? name : OTHERS);
  }

  list(): string[] {
    return [...this.#names];
  }
}
