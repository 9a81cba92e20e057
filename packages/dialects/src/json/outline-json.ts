import { endsNumber, isWholeNumber, nextInNumber, startOfNumber } from './json-number.ts';
import { Utf8Check } from './utf8-check.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'literal';

/** The position of a value in the bytes. */
export interface JsonNode {
  /** The key, if it is a member of an object; else ''. */
  name: string;
  kind: JsonKind;
  /** Position of its key's quote, or of the value if it has no key. */
  start: number;
  valueStart: number;
  end: number;
  children: JsonNode[];
}

export interface OutlineOptions {
  /** The top-level member whose content is recorded. Other members are recorded without content. */
  within: string;
  /** Depth of the recorded content: 2 for the entries of that member, 3 for theirs. */
  depth: number;
}

/** The bytes are not JSON, or not the JSON of any provider. */
export class BrokenJson extends Error {
  override readonly name = 'BrokenJson';
}

/** The bytes are JSON so far, but no provider sends such by itself: a prompt may have caused it. */
export class UnusualJson extends BrokenJson {}

/** No response nests deeper. */
export const MAX_ANSWER_DEPTH = 512;
/** No response has more recorded values. */
const MAX_NODES = 100_000;
const MAX_KEY_BYTES = 1_024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The characters that may follow a backslash: `"\/bfnrtu`. */
const ESCAPED = new Set(Buffer.from('"\\/bfnrtu'));
const LITERALS = new Map(['true', 'false', 'null'].map((text) => [text.charCodeAt(0), Buffer.from(text)]));

type Expected = 'value' | 'value or ]' | 'key or }' | 'key' | ':' | ', or end' | 'nothing';
type Token = 'none' | 'string' | 'number' | 'literal';

/**
 * Checks a JSON object while it arrives, by the grammar of `JSON.parse`, and records the positions of its
 * members. Large parts never become values, and no step takes longer than one chunk.
 */
export class JsonOutline {
  readonly #options: OutlineOptions;
  readonly #utf8 = new Utf8Check();
  readonly #root = node('', 'object', 0);
  readonly #open: JsonNode[] = [];
  /** True if the container at each depth is an object. */
  readonly #isObject: boolean[] = [];
  #expected: Expected = 'value';
  #token: Token = 'none';
  #nodes = 0;
  /** The number of bytes before the current chunk. */
  #before = 0;
  /** True if the current token is a key. */
  #isKey = false;
  #key = '';
  #keyStart = 0;
  #keyBytes: Buffer[] = [];
  #keyLength = 0;
  /** State of an escape: 0 outside, 1 after the backslash, then 1 more than the missing digits. */
  #escape = 0;
  #number = 0;
  #literal: Buffer = Buffer.alloc(0);
  #literalAt = 0;

  constructor(options: OutlineOptions) {
    this.#options = options;
  }

  /** @throws BrokenJson as soon as the bytes cannot be JSON any more */
  push(chunk: Buffer): void {
    if (!this.#utf8.push(chunk)) throw new BrokenJson('it is not UTF-8');
    let position = 0;
    while (position < chunk.length) {
      if (this.#token === 'string') position = this.#inString(chunk, position);
      else if (this.#token === 'number') position = this.#inNumber(chunk, position);
      else if (this.#token === 'literal') position = this.#inLiteral(chunk, position);
      else position = this.#between(chunk, position);
    }
    this.#before += chunk.length;
  }

  /** Returns the members of the object. @throws BrokenJson if it is incomplete */
  end(): readonly JsonNode[] {
    if (this.#expected !== 'nothing' || !this.#utf8.isWhole) throw new BrokenJson('it ends too early');
    return this.#root.children;
  }

  #between(chunk: Buffer, position: number): number {
    const byte = chunk[position] ?? 0;
    const at = this.#before + position;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return position + 1;
    switch (this.#expected) {
      case 'value':
        return this.#beginValue(byte, at, position);
      case 'value or ]':
        if (byte !== CLOSE_BRACKET) return this.#beginValue(byte, at, position);
        this.#close(at);
        return position + 1;
      case 'key or }':
      case 'key':
        if (byte === QUOTE) this.#beginKey(at);
        else if (byte === CLOSE_BRACE && this.#expected === 'key or }') this.#close(at);
        else throw unexpected(at);
        return position + 1;
      case ':':
        if (byte !== COLON) throw unexpected(at);
        this.#expected = 'value';
        return position + 1;
      case ', or end': {
        const isObject = this.#isObject.at(-1) === true;
        if (byte === COMMA) this.#expected = isObject ? 'key' : 'value';
        else if (byte === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) this.#close(at);
        else throw unexpected(at);
        return position + 1;
      }
      case 'nothing':
        throw unexpected(at);
    }
  }

  #beginValue(byte: number, at: number, position: number): number {
    const depth = this.#isObject.length;
    if (depth === 0 && byte === OPEN_BRACKET) throw new UnusualJson('it is no object');
    if (depth === 0 && byte !== OPEN_BRACE) throw unexpected(at);
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === MAX_ANSWER_DEPTH) throw new UnusualJson('it nests too deeply');
      const isObject = byte === OPEN_BRACE;
      this.#record(isObject ? 'object' : 'array', at);
      this.#isObject.push(isObject);
      this.#expected = isObject ? 'key or }' : 'value or ]';
      return position + 1;
    }
    if (byte === QUOTE) {
      this.#record('string', at);
      this.#token = 'string';
      this.#isKey = false;
      return position + 1;
    }
    const literal = LITERALS.get(byte);
    if (literal !== undefined) {
      this.#record('literal', at);
      this.#token = 'literal';
      this.#literal = literal;
      this.#literalAt = 0;
      return position;
    }
    this.#number = startOfNumber(byte);
    if (endsNumber(this.#number)) throw unexpected(at);
    this.#record('number', at);
    this.#token = 'number';
    return position + 1;
  }

  #beginKey(at: number): void {
    this.#token = 'string';
    this.#isKey = true;
    this.#keyStart = at;
    this.#keyBytes = [];
    this.#keyLength = 0;
  }

  #inString(chunk: Buffer, start: number): number {
    let position = start;
    while (position < chunk.length) {
      if (this.#escape === 0) position = endOfPlainText(chunk, position);
      if (position === chunk.length) break;
      const byte = chunk[position] ?? 0;
      if (this.#escape !== 0) this.#inEscape(byte, this.#before + position);
      else if (byte === QUOTE) {
        if (this.#isKey) this.#endKey(chunk.subarray(start, position));
        else this.#endValue(this.#before + position + 1);
        return position + 1;
      } else if (byte === BACKSLASH) this.#escape = 1;
      else throw unexpected(this.#before + position);
      position++;
    }
    if (this.#isKey) this.#addToKey(chunk.subarray(start));
    return position;
  }

  #inEscape(byte: number, at: number): void {
    if (this.#escape === 1) {
      if (!ESCAPED.has(byte)) throw unexpected(at);
      this.#escape = byte === LOWER_U ? 5 : 0;
      return;
    }
    if (!isHexDigit(byte)) throw unexpected(at);
    this.#escape = this.#escape === 2 ? 0 : this.#escape - 1;
  }

  #inNumber(chunk: Buffer, start: number): number {
    const { length } = chunk;
    let state = this.#number;
    let position = start;
    while (position < length) {
      const next = nextInNumber(state, chunk[position] ?? 0);
      if (endsNumber(next)) break;
      state = next;
      position++;
    }
    this.#number = state;
    if (position === length) return position;
    if (!isWholeNumber(state)) throw unexpected(this.#before + position);
    this.#endValue(this.#before + position);
    return position;
  }

  #inLiteral(chunk: Buffer, start: number): number {
    let position = start;
    while (position < chunk.length && this.#literalAt < this.#literal.length) {
      if (chunk[position] !== this.#literal[this.#literalAt]) throw unexpected(this.#before + position);
      position++;
      this.#literalAt++;
    }
    if (this.#literalAt === this.#literal.length) this.#endValue(this.#before + position);
    return position;
  }

  /** Returns true if values inside so many containers are recorded. */
  #isRecorded(depth: number): boolean {
    if (depth === 1) return true;
    return depth > 1 && depth <= this.#options.depth && this.#open[1]?.name === this.#options.within;
  }

  #record(kind: JsonKind, at: number): void {
    const depth = this.#isObject.length;
    if (depth === 0) {
      this.#open[0] = this.#root;
      return;
    }
    if (!this.#isRecorded(depth)) return;
    if (++this.#nodes > MAX_NODES) throw new UnusualJson('it has too many parts');
    const isMember = this.#isObject.at(-1) === true;
    const recorded = node(isMember ? this.#key : '', kind, at);
    if (isMember) recorded.start = this.#keyStart;
    this.#open[depth - 1]?.children.push(recorded);
    this.#open[depth] = recorded;
  }

  #close(at: number): void {
    this.#isObject.pop();
    this.#endValue(at + 1);
  }

  #endValue(end: number): void {
    const depth = this.#isObject.length;
    this.#token = 'none';
    this.#expected = depth === 0 ? 'nothing' : ', or end';
    const recorded = depth > 0 && this.#isRecorded(depth) ? this.#open[depth] : undefined;
    if (recorded !== undefined) recorded.end = end;
  }

  #endKey(last: Buffer): void {
    this.#addToKey(last);
    this.#token = 'none';
    this.#expected = ':';
    if (!this.#isRecorded(this.#isObject.length)) return;
    const text = Buffer.concat(this.#keyBytes).toString();
    this.#key = text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
  }

  #addToKey(bytes: Buffer): void {
    if (!this.#isRecorded(this.#isObject.length)) return;
    this.#keyBytes.push(bytes);
    this.#keyLength += bytes.length;
    if (this.#keyLength > MAX_KEY_BYTES) throw new UnusualJson('it has a key that is too long');
  }
}

function node(name: string, kind: JsonKind, at: number): JsonNode {
  return { name, kind, start: at, valueStart: at, end: at, children: [] };
}

/** Finds the next quote, backslash or control character. Skips most of a large response. */
function endOfPlainText(chunk: Buffer, start: number): number {
  const { length } = chunk;
  let position = start;
  while (position < length) {
    const byte = chunk[position] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    position++;
  }
  return position;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function unexpected(at: number): BrokenJson {
  return new BrokenJson(`it is no JSON at byte ${at}`);
}
