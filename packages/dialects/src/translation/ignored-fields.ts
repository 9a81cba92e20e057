/** Bounds a response header. */
const MAX_NAMES = 40;
const PLAIN_NAME = /^[\w.[\]-]{1,100}$/;
const OTHERS = 'others';

/** Names of ignored fields, for `x-gateway-ignored`. Callers choose some of these names. */
export class IgnoredFields {
  readonly #names = new Set<string>();

  add(name: string): void {
    const isShown = PLAIN_NAME.test(name) && this.#names.size < MAX_NAMES;
    this.#names.add(isShown ? name : OTHERS);
  }

  get names(): string[] {
    return [...this.#names];
  }
}
