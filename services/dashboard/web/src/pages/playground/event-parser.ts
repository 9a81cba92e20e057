/**
 * Parses server-sent events incrementally (WHATWG HTML, "Parsing an event stream"), ignoring fields other
 * than `data`. Chunks may end anywhere, even within a character. Drops an event that the end of the stream
 * cuts off.
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
    // CR LF is one line end, even if the two arrive in different chunks.
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
