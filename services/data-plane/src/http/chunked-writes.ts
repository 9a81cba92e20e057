import type { ServerResponse } from 'node:http';

const LAST_CHUNK = '0\r\n\r\n';

/**
 * Writes each text of a chunked response in one socket write. Node's own framing (RFC 9112, section 7.1)
 * hands the socket four parts, which it has to gather again.
 */
export class ChunkedWrites {
  readonly #res: ServerResponse;
  readonly #isFramed: boolean;

  /** @param res after its head is written: only then has Node decided on framing (none for HTTP/1.0) */
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
    // An empty chunk would end the body.
    return this.#isFramed && bytes > 0 ? `${bytes.toString(16)}\r\n${text}\r\n` : text;
  }
}

/** Returns the text in what `ChunkedWrites` has written to a response of chunks. */
export function unframed(written: string): string {
  const chunk = written.endsWith(LAST_CHUNK) ? written.slice(0, -LAST_CHUNK.length) : written;
  return chunk.slice(chunk.indexOf('\r\n') + 2, -2);
}

/** Latin-1 writes copy ASCII text, nearly all of it, without conversion. */
function encodingOf(text: string, bytes: number): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8';
}
