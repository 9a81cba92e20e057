/** Names go into a header of the answer: no more of them, and no longer ones, than it should have. */
const MAX_NAMES = 40;
const PLAIN_NAME = /^[\w.[\]-]{1,100}$/;
const OTHERS = 'others';

/** The names of what is left out of a request, for `x-gateway-ignored`. Some of them come from the caller. */
export class IgnoredFields {
  readonly #names = new Set<string>();

  /** @param name of a field, without numbers: `messages[].name` */
  add(name: string): void {
    const isShown = PLAIN_NAME.test(name) && this.#names.size < MAX_NAMES;
    this.#names.add(isShown ? name : OTHERS);
  }

  get names(): string[] {
    return [...this.#names];
  }
}
