import {
  BrokenEventStream,
  causedByRequest,
  type EventFraming,
  MAX_EVENT_BYTES,
} from '@model-gateway/dialects';

/** May precede the first line. */
const BYTE_ORDER_MARK = /^\uFEFF/;
/** Stands for invalid bytes, but may also have been sent as such. */
const REPLACEMENT = '\uFFFD';
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
  /** The first data line of an event; undefined: it has none so far. */
  #data: string | undefined;
  /** Its other lines. Joined one by one, short ones would take five times the memory until the event ends. */
  #furtherLines: string[] = [];
  #dataBytes = 0;
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
      this.#endLine(chunk, start, position, events);
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

  #endLine(chunk: Buffer, start: number, end: number, events: string[]): void {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    const length = this.#pendingBytes + end - start;
    if (length === 0) {
      if (this.#data !== undefined) events.push(this.#takeData(this.#data));
      return;
    }
    const decoded =
      this.#pendingBytes === 0 ? decode(chunk, start, end) : this.#decodePending(chunk, start, end);
    const line = isFirst ? decoded.replace(BYTE_ORDER_MARK, '') : decoded;
    if (line !== 'data' && !line.startsWith('data:')) return;
    const value = line.slice(line.startsWith('data: ') ? 6 : 5);
    if (this.#data === undefined) this.#data = value;
    else this.#furtherLines.push(value);
    this.#dataBytes += length;
    this.#checkSize();
  }

  #takeData(first: string): string {
    const further = this.#furtherLines;
    this.#data = undefined;
    this.#dataBytes = 0;
    if (further.length === 0) return first;
    this.#furtherLines = [];
    return `${first}\n${further.join('\n')}`;
  }

  #decodePending(chunk: Buffer, start: number, end: number): string {
    const line = Buffer.concat([...this.#pending, chunk.subarray(start, end)]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return decode(line, 0, line.length);
  }

  #checkSize(): void {
    if (this.#pendingBytes + this.#dataBytes > this.#maxEventBytes) {
      throw causedByRequest(`an event is longer than ${this.#maxEventBytes} bytes`);
    }
  }
}

export const SERVER_SENT: EventFraming = {
  contentType: /^text\/event-stream\b/i,
  parser: (maxEventBytes) => new SseParser(maxEventBytes),
};

/** Decodes UTF-8. The strict decoder takes three times as long; only replacement characters need it. */
function decode(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  if (!text.includes(REPLACEMENT)) return text;
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch (cause) {
    throw new BrokenEventStream('an event is not UTF-8', { cause });
  }
}
