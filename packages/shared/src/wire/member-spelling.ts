/** Longer names are no member that the gateway knows, however they are folded. */
const MAX_NAME_LENGTH = 100;
/** Names that were looked at before and are none of the known ones: nearly all requests have the same. */
const MAX_REMEMBERED = 1_000;

/**
 * Names of members that the gateway relies on. Some readers of JSON do not tell upper case from lower case
 * (Go's encoding/json takes the last member in any case), others ignore underscores (protobuf's JSON
 * mapping): a second member whose name differs in these alone would tell the provider something else than it
 * tells the gateway.
 */
export class KnownMembers {
  readonly #names: ReadonlySet<string>;
  readonly #byFolded: ReadonlyMap<string, string>;
  readonly #harmless = new Set<string>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#byFolded = new Map([...this.#names].map((name) => [folded(name), name]));
  }

  /** @returns the known name that some readers take `name` for; undefined: none, or it is spelt right */
  meantBy(name: string): string | undefined {
    if (this.#names.has(name) || this.#harmless.has(name) || name.length > MAX_NAME_LENGTH) return undefined;
    const known = this.#byFolded.get(folded(name));
    if (known === undefined && this.#harmless.size < MAX_REMEMBERED) this.#harmless.add(name);
    return known;
  }
}

/** What to tell whoever wrote `known` in another way. */
export function spellingMessage(known: string): string {
  return `some providers would take this for "${known}"; send "${known}" alone, spelled like that`;
}

/**
 * Without regard to case, underscores and hyphens. By way of the upper case, as Unicode's simple folding has
 * it: the long s (U+017F) is an s then, and the Kelvin sign (U+212A) a k.
 */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase().replace(/[_-]/g, '');
}
