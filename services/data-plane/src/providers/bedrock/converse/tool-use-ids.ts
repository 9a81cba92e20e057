/** Longer ids of calls are refused. */
const MAX_LENGTH = 64;

/** The ids of calls and of their results, as short as Converse takes them. */
export class ToolUseIds {
  readonly #own = new Map<string, string>();

  of(id: unknown): string {
    const callersId = String(id);
    if (callersId.length <= MAX_LENGTH) return callersId;
    let own = this.#own.get(callersId);
    if (own === undefined) {
      own = `${callersId.slice(0, MAX_LENGTH - 10)}_${this.#own.size + 1}`;
      this.#own.set(callersId, own);
    }
    return own;
  }
}
