import { crc32 } from 'node:zlib';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { BrokenEventStream, type EventParser, MAX_EVENT_BYTES } from '../../interfaces/event-framing.ts';

export interface Frame {
  headers: Readonly<Record<string, unknown>>;
  body: Uint8Array;
}

/** @throws Error for a wrong checksum */
export type FrameDecoder = (message: Uint8Array) => Frame;

/** Total length, length of the headers, and a checksum of these two. */
const PRELUDE_BYTES = 12;
const CHECKED_BYTES = 8;
/** A message without headers and body: its prelude, and a checksum of the whole. */
const MIN_BYTES = PRELUDE_BYTES + 4;

/**
 * Cuts bytes into messages of `application/vnd.amazon.eventstream`. Checks each prelude as soon as it
 * arrives, because a wrong length would wait for bytes that never come.
 */
export class FrameParser implements EventParser {
  readonly #decode: FrameDecoder;
  readonly #dataOf: (frame: Frame) => string | undefined;
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Length of the current message. */
  #length: number | undefined;

  /** @param dataOf returns the data for the translator; undefined: skips the message */
  constructor(
    decode: FrameDecoder,
    dataOf: (frame: Frame) => string | undefined,
    maxBytes: number = MAX_EVENT_BYTES,
  ) {
    this.#decode = decode;
    this.#dataOf = dataOf;
    this.#maxBytes = maxBytes;
  }

  /** @throws BrokenEventStream; GatewayError 502 for a message that is too long */
  push(chunk: Buffer): string[] {
    const events: string[] = [];
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    for (;;) {
      this.#length ??= this.#nextLength();
      if (this.#length === undefined || this.#pendingBytes < this.#length) return events;
      const data = this.#dataOf(this.#frame(this.#take(this.#length)));
      this.#length = undefined;
      if (data !== undefined) events.push(data);
    }
  }

  #nextLength(): number | undefined {
    if (this.#pendingBytes < PRELUDE_BYTES) return undefined;
    const bytes = this.#joined();
    if (crc32(bytes.subarray(0, CHECKED_BYTES)) !== bytes.readUInt32BE(CHECKED_BYTES))
      throw new BrokenEventStream('the checksum of the length of a message is wrong');
    const length = bytes.readUInt32BE(0);
    if (length < MIN_BYTES) throw new BrokenEventStream('a message is shorter than any can be');
    if (length <= this.#maxBytes) return length;
    throw causedByRequest(`a message is longer than ${this.#maxBytes} bytes`);
  }

  #frame(message: Buffer): Frame {
    try {
      return this.#decode(message);
    } catch (cause) {
      throw new BrokenEventStream('a message of the event stream is broken', { cause });
    }
  }

  #take(length: number): Buffer {
    const bytes = this.#joined();
    const rest = bytes.subarray(length);
    this.#pending = rest.length === 0 ? [] : [rest];
    this.#pendingBytes = rest.length;
    return bytes.subarray(0, length);
  }

  #joined(): Buffer {
    const [only] = this.#pending;
    if (this.#pending.length === 1 && only !== undefined) return only;
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [bytes];
    return bytes;
  }
}
