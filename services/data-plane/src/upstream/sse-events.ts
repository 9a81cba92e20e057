import {
  BrokenEventStream,
  causedByRequest,
  type EventFraming,
  MAX_EVENT_BYTES,
} from '@model-gateway/dialects';

/** May precede the first line. */
const BYTE_ORDER_MARK = /^\uFEFF/;
const LF = 0x0a;
const CR = 0x0d;

/** Stateless, so shared by all streams. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses server-sent events (WHATWG HTML, "Parsing an event stream") into their `data`. Bytes are decoded
 * line by line, so a character may span chunks.
 */
export class SseParser {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lines: string[] = [];
  #lineBytes = 0;
  #endedWithCr = false;
  #isBegun = false;
  readonly #maxEventBytes: number;

  constructor(maxEventBytes: number = MAX_EVENT_BYTES) {
    this.#maxEventBytes = maxEventBytes;
  }

  /**
   * Parses a chunk. @returns the data of each event that is complete now
   * @throws BrokenEventStream if an event is not UTF-8; GatewayError 502 if it is too long
   */
  push(chunk: Buffer): string[] {
    const events: string[] = [];
    let start = 0;
    for (let position = 0; position < chunk.length; position++) {
      const byte = chunk[position];
      if (byte !== LF && byte !== CR) continue;
      // CR LF is one line end, also across chunks.
      if (byte === LF && this.#endedWithCr && position === start && this.#pendingBytes === 0) {
        this.#endedWithCr = false;
        start = position + 1;
        continue;
      }
      this.#endedWithCr = byte === CR;
      this.#endLine(chunk.subarray(start, position), events);
      start = position + 1;
    }
    if (start < chunk.length) {
      this.#endedWithCr = false;
      this.#pending.push(chunk.subarray(start));
      this.#pendingBytes += chunk.length - start;
      this.#checkSize();
    }
    return events;
  }

  #endLine(tail: Buffer, events: string[]): void {
    const bytes = this.#pendingBytes === 0 ? tail : Buffer.concat([...this.#pending, tail]);
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (bytes.length === 0) {
      if (this.#lines.length > 0) events.push(this.#lines.join('\n'));
      this.#lines = [];
      this.#lineBytes = 0;
      return;
    }
    const line = isFirst ? decode(bytes).replace(BYTE_ORDER_MARK, '') : decode(bytes);
    if (line !== 'data' && !line.startsWith('data:')) return;
    this.#lines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    this.#lineBytes += bytes.length;
    this.#checkSize();
  }

  #checkSize(): void {
    if (this.#pendingBytes + this.#lineBytes > this.#maxEventBytes) {
      throw causedByRequest(`an event is longer than ${this.#maxEventBytes} bytes`);
    }
  }
}

export const SERVER_SENT: EventFraming = {
  contentType: /^text\/event-stream\b/i,
  parser: (maxEventBytes) => new SseParser(maxEventBytes),
};

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new BrokenEventStream('an event is not UTF-8', { cause });
  }
}
