import { isObject } from '../../json/json-object.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import { brokenCall } from '../chat-output/chat-end.ts';

/** The start of the arguments. White space is allowed between tokens. */
const HEAD = '{"input":"';
const TOKEN_STARTS: ReadonlySet<number> = new Set([0, 1, HEAD.indexOf(':'), HEAD.length - 1]);
const SPACE = /\s/;
const MARKS = /["\\]/g;
const TAIL = /^\s*\}\s*$/;

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** `\u` and four digits. */
const UNICODE_ESCAPE_LENGTH = 6;

/**
 * Extracts the text from streamed JSON `{"input":"…"}`, which may be cut anywhere. Accepts mistakes of
 * models, such as line ends without escapes.
 */
export class CustomToolInput {
  #raw = '';
  #state: 'head' | 'text' | 'tail' | 'other' = 'head';
  #headLength = 0;
  /** An escape that is not complete. */
  #escape = '';
  /** The first half of a surrogate pair. */
  #half = '';
  #tail = '';
  #text = '';

  get text(): string {
    return this.#text;
  }

  /** @returns what a piece adds to the text */
  push(piece: string): string {
    this.#raw += piece;
    const rest = this.#state === 'head' ? this.#readHead(piece) : piece;
    const after = this.#state === 'text' ? this.#readText(rest) : { text: '', rest };
    if (this.#state === 'tail') this.#tail += after.rest;
    return this.#add(after.text);
  }

  /**
   * @returns the rest of the text: all of it if the arguments had another form
   * @throws GatewayError 502 for incomplete arguments
   */
  end(): string {
    if (this.#state === 'other' || this.#raw.trim() === '') return this.#add(textOf(this.#raw));
    const isWhole =
      this.#state === 'tail' && (TAIL.test(this.#tail) || isObject(parseBoundedJson(this.#raw)));
    if (!isWhole) throw brokenCall();
    const half = this.#half;
    this.#half = '';
    this.#text += half;
    return half;
  }

  /** @returns what follows the head */
  #readHead(piece: string): string {
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charAt(at);
      if (character === HEAD[this.#headLength]) this.#headLength += 1;
      else if (!TOKEN_STARTS.has(this.#headLength) || !SPACE.test(character)) {
        this.#state = 'other';
        return '';
      }
      if (this.#headLength === HEAD.length) {
        this.#state = 'text';
        return piece.slice(at + 1);
      }
    }
    return '';
  }

  /** @returns the text in a piece, and what follows the end of the text */
  #readText(piece: string): { text: string; rest: string } {
    let text = '';
    for (let at = 0; at < piece.length; ) {
      if (this.#escape !== '') {
        text += this.#readEscape(piece.charAt(at));
        at += 1;
        continue;
      }
      const end = nextMark(piece, at);
      text += piece.slice(at, end);
      at = end + 1;
      if (piece[end] === '\\') this.#escape = '\\';
      else if (piece[end] === '"') {
        this.#state = 'tail';
        return { text, rest: piece.slice(at) };
      }
    }
    return { text, rest: '' };
  }

  /** @returns the character of a complete escape; an invalid escape unchanged */
  #readEscape(next: string): string {
    const begun = this.#escape + next;
    if (begun === '\\u') {
      this.#escape = begun;
      return '';
    }
    if (begun.length === 2) {
      this.#escape = '';
      if (next === '"' || next === '\\' || next === '/') return next;
      return ESCAPED[next] ?? begun;
    }
    const isHex = /^[\da-f]$/i.test(next);
    if (isHex && begun.length < UNICODE_ESCAPE_LENGTH) {
      this.#escape = begun;
      return '';
    }
    this.#escape = '';
    return isHex ? String.fromCharCode(Number.parseInt(begun.slice(2), 16)) : begun;
  }

  /** Holds back the first half of a surrogate pair. */
  #add(more: string): string {
    const all = this.#half + more;
    const isCut = isFirstHalf(all.charCodeAt(all.length - 1));
    this.#half = isCut ? all.slice(-1) : '';
    const text = isCut ? all.slice(0, -1) : all;
    this.#text += text;
    return text;
  }
}

/** Where the next quote or backslash is. */
function nextMark(text: string, from: number): number {
  MARKS.lastIndex = from;
  return MARKS.exec(text)?.index ?? text.length;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Reads arguments of another form. */
function textOf(args: string): string {
  const value = parseBoundedJson(args);
  if (typeof value === 'string') return value;
  if (!isObject(value)) return args;
  if (typeof value.input === 'string') return value.input;
  return Object.keys(value).length === 0 ? '' : args;
}
