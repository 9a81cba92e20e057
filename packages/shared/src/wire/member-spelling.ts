import type { z } from 'zod';

/** No member that the gateway knows has a longer name, in any spelling. */
const MAX_NAME_LENGTH = 100;
/** Bounds the cache of unknown names: nearly all requests repeat the same ones. */
const MAX_REMEMBERED = 1_000;

/**
 * Finds members that some JSON parsers confuse with those that the gateway reads: Go's encoding/json ignores
 * case and takes the last one, protobuf ignores underscores. A second spelling could tell the provider
 * something that the gateway has not seen.
 */
export class KnownMembers {
  readonly #names: ReadonlySet<string>;
  readonly #byFolded: ReadonlyMap<string, string>;
  readonly #harmless = new Set<string>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#byFolded = new Map([...this.#names].map((name) => [folded(name), name]));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * @returns the known name that some readers take `name` for; undefined when there is none, or when the name
   *   is spelt correctly
   */
  meantBy(name: string): string | undefined {
    if (this.#names.has(name) || this.#harmless.has(name) || name.length > MAX_NAME_LENGTH) return undefined;
    const known = this.#byFolded.get(folded(name));
    if (known === undefined && this.#harmless.size < MAX_REMEMBERED) this.#harmless.add(name);
    return known;
  }
}

/**
 * Refuses names in a value that some readers take for other names.
 * @param at where the value is in the request
 */
export function requirePlainNames(
  known: KnownMembers,
  issues: z.core.$ZodRawIssue[],
  value: object,
  at: PropertyKey[],
): void {
  for (const name of Object.keys(value)) {
    const meant = known.meantBy(name);
    if (meant === undefined) continue;
    issues.push({ code: 'custom', path: [...at, name], input: value, message: spellingMessage(meant) });
  }
}

/** Returns the message for another spelling of `known`. */
export function spellingMessage(known: string): string {
  return `some providers would take this for "${known}"; send "${known}" alone, spelled like that`;
}

/**
 * Returns a name without case, underscores and hyphens. It goes through upper case, as Unicode's simple
 * folding does: so the long s (U+017F) becomes an s, and the Kelvin sign (U+212A) a k.
 */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase().replace(/[_-]/g, '');
}
