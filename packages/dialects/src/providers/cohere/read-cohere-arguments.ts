const NULL = 'null';
const NOTHING = '{}';

/** The arguments of a call, as JSON of an object: Cohere writes `null` for a function without parameters. */
export function readCohereArguments(written: unknown): string {
  const text = typeof written === 'string' ? written.trim() : '';
  return text === '' || text === NULL ? NOTHING : String(written);
}

/** The same of arguments that come in pieces: they are kept back for as long as they may become `null`. */
export class CohereArgumentPieces {
  #kept: string | undefined = '';

  /** @returns what may be told of them now */
  add(piece: string): string {
    if (this.#kept === undefined) return piece;
    const written = this.#kept + piece;
    const trimmed = written.trim();
    const mayBeNull = NULL.startsWith(trimmed);
    // Without the white space, which may be without end.
    this.#kept = mayBeNull ? trimmed : undefined;
    return mayBeNull ? '' : written;
  }

  /** @returns what is still to be told of them: with it, they are complete */
  end(): string {
    const rest = this.#kept;
    this.#kept = undefined;
    return rest === undefined ? '' : readCohereArguments(rest);
  }
}
