import type { ServerResponse } from 'node:http';

const LAST_CHUNK = '0\r\n\r\n';

/**
 * Texts of an answer whose length nobody knows, each in one write to the socket. Node's own framing of a
 * chunk (RFC 9112, section 7.1) gives the socket four parts, which it has to gather again.
 */
export class ChunkedWrites {
  readonly #res: ServerResponse;
  readonly #isFramed: boolean;

  /**
   * @param res its head is written: only then Node has decided whether it frames, as for HTTP/1.0 it does not
   */
  constructor(res: ServerResponse) {
    this.#res = res;
    this.#isFramed = res.chunkedEncoding;
    res.chunkedEncoding = false;
  }

  /** @returns false when the client is behind */
  write(text: string, onWritten?: () => void): boolean {
    const bytes = Buffer.byteLength(text);
    return this.#res.write(this.#framed(text, bytes), encodingOf(text, bytes), onWritten);
  }

  end(text: string): void {
    const bytes = Buffer.byteLength(text);
    const rest = this.#isFramed ? LAST_CHUNK : '';
    this.#res.end(this.#framed(text, bytes) + rest, encodingOf(text, bytes));
  }

  #framed(text: string, bytes: number): string {
    // A chunk of no bytes would be the last one.
    return this.#isFramed && bytes > 0 ? `${bytes.toString(16)}\r\n${text}\r\n` : text;
  }
}

/** Text that is ASCII, as nearly all of it is, is copied as it is. */
function encodingOf(text: string, bytes: number): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8';
}
