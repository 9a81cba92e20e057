const MAX_LENGTH = 64;

/** Shortens ids to what Converse accepts, and keeps them unique. */
export class ConverseToolUseIds {
  readonly #own = new Map<string, string>();
  readonly #used = new Set<string>();

  of(id: unknown): string {
    const callersId = String(id);
    const known = this.#own.get(callersId);
    if (known !== undefined) return known;
    const start = callersId.slice(0, MAX_LENGTH - 10);
    let own = callersId.length <= MAX_LENGTH ? callersId : `${start}_1`;
    for (let times = 2; this.#used.has(own); times++) own = `${start}_${times}`;
    this.#own.set(callersId, own);
    this.#used.add(own);
    return own;
  }
}
