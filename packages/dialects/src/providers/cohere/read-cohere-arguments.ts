const NULL = 'null';
const NOTHING = '{}';

/** Returns `{}` for `null`, which Cohere sends for a function without parameters. */
export function readCohereArguments(written: unknown): string {
  const text = typeof written === 'string' ? written.trim() : '';
  return text === '' || text === NULL ? NOTHING : String(written);
}

/** Does the same for streamed arguments: holds pieces back while they may become `null`. */
export class CohereArgumentPieces {
  #kept: string | undefined = '';

  /** @returns what can be sent now */
  add(piece: string): string {
    if (this.#kept === undefined) return piece;
    const written = this.#kept + piece;
    const trimmed = written.trim();
    const mayBeNull = NULL.startsWith(trimmed);
    // Drops white space, which could grow without bound.
    this.#kept = mayBeNull ? trimmed : undefined;
    return mayBeNull ? '' : written;
  }

  /** @returns the rest of the arguments */
  end(): string {
    const rest = this.#kept;
    this.#kept = undefined;
    return rest === undefined ? '' : readCohereArguments(rest);
  }
}
