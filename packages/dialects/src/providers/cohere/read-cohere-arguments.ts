const NULL = 'null';
const NOTHING = '{}';

/** Returns `{}` for `null`, which Cohere sends for a function without parameters. */
export function readCohereArguments(written: unknown): string {
  const text = typeof written === 'string' ? written.trim() : '';
  return text === '' || text === NULL ? NOTHING : String(written);
}

/** Does the same for streamed arguments: holds pieces back while they may become `null`. */
export class CohereArgumentPieces {
  #held: string | undefined = '';

  /** @returns what can be sent now */
  add(piece: string): string {
    if (this.#held === undefined) return piece;
    const written = this.#held + piece;
    const trimmed = written.trim();
    const mayBeNull = NULL.startsWith(trimmed);
    // Drops white space, which could grow without bound.
    this.#held = mayBeNull ? trimmed : undefined;
    return mayBeNull ? '' : written;
  }

  /** @returns the rest of the arguments */
  end(): string {
    const rest = this.#held;
    this.#held = undefined;
    return rest === undefined ? '' : readCohereArguments(rest);
  }
}
