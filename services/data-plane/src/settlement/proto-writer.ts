/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

const FIRST_CAPACITY = 32 * 1_024;
/** Upper bound of a tag and a number. */
const MAX_SCALAR_BYTES = 16;
/** Bytes of a length that is written before its content: the varint is padded, which decoders accept. */
const LENGTH_BYTES = 4;
const MAX_UTF8_BYTES_PER_UNIT = 3;

/**
 * Writes fields in protobuf's wire format to one buffer, without an object per field
 * (https://protobuf.dev/programming-guides/encoding/). Fields with `undefined` are left out.
 */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #end = 0;

  /** The written bytes. They do not change with later writes. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  get length(): number {
    return this.#end;
  }

  /** Drops all bytes after the first `length`. */
  truncate(length: number): void {
    this.#end = Math.min(length, this.#end);
  }

  text(field: number, value: string | undefined): void {
    if (value === undefined) return;
    this.#reserve(MAX_SCALAR_BYTES + value.length * MAX_UTF8_BYTES_PER_UNIT);
    this.#tag(field, DELIMITED);
    const isShort = value.length * MAX_UTF8_BYTES_PER_UNIT < 0x80;
    const start = this.#end + (isShort ? 1 : LENGTH_BYTES);
    const written = this.#bytes.write(value, start);
    this.#end = start + written;
    if (isShort) this.#bytes[start - 1] = written;
    else this.close(start);
  }

  flag(field: number, value: boolean | undefined): void {
    if (value !== undefined) this.integer(field, value ? 1 : 0);
  }

  double(field: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#reserve(MAX_SCALAR_BYTES);
    this.#tag(field, FIXED64);
    this.#end = this.#bytes.writeDoubleLE(value, this.#end);
  }

  /**
   * Writes an integer without its fraction.
   * @throws RangeError for a negative number, or NaN
   */
  integer(field: number, value: number | bigint | undefined): void {
    if (value === undefined) return;
    if (!(value >= 0)) throw new RangeError(`field ${field} cannot be ${value}`);
    this.#reserve(MAX_SCALAR_BYTES);
    this.#tag(field, VARINT);
    if (value <= Number.MAX_SAFE_INTEGER) this.#varint(Number(value));
    else this.#longVarint(BigInt(value));
  }

  /** Writes an integer, if it is not zero. */
  count(field: number, value: number): void {
    if (value !== 0) this.integer(field, value);
  }

  /** Begins a message or a text. @returns its start, for `close` */
  open(field: number): number {
    this.#reserve(MAX_SCALAR_BYTES);
    this.#tag(field, DELIMITED);
    this.#end += LENGTH_BYTES;
    return this.#end;
  }

  close(start: number): void {
    const [bytes, length] = [this.#bytes, this.#end - start];
    bytes[start - 4] = length | 0x80;
    bytes[start - 3] = (length >>> 7) | 0x80;
    bytes[start - 2] = (length >>> 14) | 0x80;
    bytes[start - 1] = length >>> 21;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#end++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#end++] = rest;
  }

  #longVarint(value: bigint): void {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#end++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#end++] = Number(rest);
  }

  #reserve(count: number): void {
    const needed = this.#end + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
