import { isObject } from '../../json/json-object.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import { brokenCall } from '../chat-output/chat-end.ts';

/** How the arguments begin; between two tokens there may be white space. */
const HEAD = '{"input":"';
const TOKEN_STARTS: ReadonlySet<number> = new Set([0, 1, HEAD.indexOf(':'), HEAD.length - 1]);
const SPACE = /\s/;
const MARKS = /["\\]/g;
const TAIL = /^\s*\}\s*$/;

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** `\u` and four digits. */
const UNICODE_ESCAPE_LENGTH = 6;

/**
 * The text that a model writes for a custom tool, taken out of the JSON in which a provider of Chat
 * Completions sends it: `{"input":"…"}`, in pieces that may be cut anywhere. What models write wrongly in
 * such a string, such as line ends that are not escaped, is read as it is meant.
 */
export class CustomToolInput {
  #raw = '';
  #state: 'head' | 'text' | 'tail' | 'other' = 'head';
  /** How much of the head has come. */
  #headLength = 0;
  /** An escape that is not complete. */
  #escape = '';
  /** The first half of a character. */
  #half = '';
  #tail = '';
  #text = '';

  /** Returns the part of the text that is known so far. */
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
   * To be called once everything has come.
   * @returns what is missing of the text: all of it where the arguments were no such JSON
   * @throws GatewayError 502 when the arguments have begun as they should, and are not all there
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

  /** @returns the character, once the escape is complete; what is none stands for itself */
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

  /** Keeps the first half of a character back: alone it is no text. */
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

/** The input of arguments that do not begin as they should. */
function textOf(args: string): string {
  const value = parseBoundedJson(args);
  if (typeof value === 'string') return value;
  if (!isObject(value)) return args;
  if (typeof value.input === 'string') return value.input;
  return Object.keys(value).length === 0 ? '' : args;
}
