/**
 * Cuts the bytes of a stream into the `data` of its server-sent events (WHATWG HTML, "Parsing an event stream"): all
 * three line ends, several data lines joined, comments and other fields passed over. Chunks may end anywhere, within a
 * character, too; an event that the stream breaks off in is never told.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines: string[] = [];
  #endedWithCr = false;

  /** @returns the data of each event that is complete now */
  push(bytes: Uint8Array): string[] {
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    // CR LF is one line end, also when the two arrive apart.
    const text = this.#endedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endedWithCr = decoded.endsWith('\r');
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#endLine(line));
  }

  #endLine(line: string): string[] {
    if (line === '') {
      const lines = this.#lines;
      this.#lines = [];
      return lines.length === 0 ? [] : [lines.join('\n')];
    }
    if (line === 'data') this.#lines.push('');
    else if (line.startsWith('data:')) this.#lines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    return [];
  }
}
