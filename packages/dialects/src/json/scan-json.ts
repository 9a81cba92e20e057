import type { GatewayError } from '@model-gateway/shared';
import { notPlainJson } from '@model-gateway/shared/errors';
import { StringEnds } from './string-ends.ts';

/** The position of a top-level member: from the quote of its key to the end of its value. */
export interface JsonMember {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/** No request nests deeper. Bounds every later recursion. */
const MAX_DEPTH = 128;
/**
 * No request has more keys, objects and arrays. They cost far more time and memory than their bytes: 20 MB
 * hold seven million empty objects.
 */
const MAX_PARTS = 200_000;
/**
 * No request has more numbers, `true`, `false` and `null`: 20 MB of token ids are fewer. Each takes up to 32
 * bytes while it is parsed, and parsing cannot be stopped.
 */
const MAX_NUMBERS = 4_000_000;
/** No request has more strings. Each takes up to 100 bytes besides its content. */
const MAX_TEXTS = 1_000_000;
/** The longest part of a key in an error message. */
const MAX_NAME_LENGTH = 100;

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** An object or array that is open at the present position. */
interface Scope {
  isObject: boolean;
  /** The keys seen so far; undefined for arrays. */
  keys: KeySet | undefined;
  /** True if the scope is the value of a member called `constructor`. */
  isConstructor: boolean;
  lastKey: string;
  expectsKey: boolean;
}

/**
 * Rejects JSON that `JSON.parse` accepts and parsers read differently: duplicate or prototype keys, numbers
 * out of range, lone surrogates, extreme nesting. So the provider can get the bytes that were checked here.
 * Runs before `JSON.parse`, which takes seconds for millions of brackets, and leaves other errors to it: for
 * text that is not JSON it may throw or return nonsense.
 * @param maxValues keys, values, objects and arrays to scan at once on the event loop
 * @returns the members of the top-level object in order; empty if the top level is not an object
 * @throws GatewayError `invalid_json`; TooManyValues beyond `maxValues`
 */
export function scanJson(text: string, maxValues: number = Number.POSITIVE_INFINITY): JsonMember[] {
  const members: JsonMember[] = [];
  const scopes: Scope[] = [];
  const strings = new StringEnds(text);
  let scope: Scope | undefined;
  let member: JsonMember | undefined;
  let position = 0;
  let parts = 0;
  let texts = 0;
  let numbers = 0;

  while (position < text.length) {
    if (parts + texts + numbers > maxValues) throw new TooManyValues();
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      const end = strings.after(position);
      if (scope?.expectsKey === true) {
        if (++parts > MAX_PARTS) throw tooMany(MAX_PARTS, 'keys, objects and arrays');
        const name = keyText(text, position, end);
        checkKey(scope, name, scopes.length);
        scope.lastKey = name;
        scope.expectsKey = false;
        if (scopes.length === 1) {
          member = { name, start: position, valueStart: position, end };
          members.push(member);
        }
      } else {
        if (++texts > MAX_TEXTS) throw tooMany(MAX_TEXTS, 'texts');
        if (scopes.length === 1 && member !== undefined) member.end = end;
      }
      position = end;
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++parts > MAX_PARTS) throw tooMany(MAX_PARTS, 'keys, objects and arrays');
      if (scopes.length >= MAX_DEPTH) throw notPlainJson(`nests deeper than ${MAX_DEPTH} levels`);
      const isObject = code === OPEN_BRACE;
      const isConstructor = scope?.isObject === true && scope.lastKey === 'constructor';
      scope = {
        isObject,
        keys: isObject ? new KeySet() : undefined,
        isConstructor,
        lastKey: '',
        expectsKey: isObject,
      };
      scopes.push(scope);
      position++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      scopes.pop();
      scope = scopes.at(-1);
      position++;
      if (scopes.length === 1 && member !== undefined) member.end = position;
    } else if (code === COLON) {
      position++;
      if (scopes.length === 1 && member !== undefined) {
        while (isSpace(text.charCodeAt(position))) position++;
        member.valueStart = position;
      }
    } else if (code === COMMA) {
      if (scope?.isObject === true) scope.expectsKey = true;
      position++;
    } else if (isSpace(code)) {
      position++;
    } else {
      // This is a number, true, false or null.
      if (++numbers > MAX_NUMBERS) throw tooMany(MAX_NUMBERS, 'numbers and other values');
      const end = scalarEnd(text, position);
      checkNumber(text, position, end);
      if (scopes.length === 1 && member !== undefined) member.end = end;
      position = end;
    }
  }
  return members;
}

/** Scanning the text at once would delay other requests. */
export class TooManyValues extends Error {
  override readonly name = 'TooMuchForOneTurn';
}

/** Holds keys in a short list while there are few, as in nearly every object, and then in a set. */
class KeySet {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** @returns false for a duplicate */
  add(key: string): boolean {
    if (this.#many !== undefined) {
      if (this.#many.has(key)) return false;
      this.#many.add(key);
      return true;
    }
    if (this.#few.includes(key)) return false;
    this.#few.push(key);
    if (this.#few.length > 16) this.#many = new Set(this.#few);
    return true;
  }
}

function checkKey(scope: Scope, name: string, depth: number): void {
  if (scope.keys?.add(name) === false) throw notPlainJson(`has the key ${quoted(name)} twice in one object`);
  // A tool's schema may have a property called "constructor"; only constructor.prototype is dangerous.
  const pollutes =
    name === '__proto__' ||
    (name === 'constructor' && depth === 1) ||
    (name === 'prototype' && scope.isConstructor);
  if (pollutes) throw notPlainJson(`has the key ${JSON.stringify(name)}, which is not accepted`);
}

function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    const decoded: unknown = JSON.parse(text.slice(start, end));
    return String(decoded);
  } catch {
    throw notPlainJson('is no valid JSON');
  }
}

function scalarEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break;
  }
  return end;
}

function checkNumber(text: string, start: number, end: number): void {
  const first = text.charCodeAt(start);
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (isNumber && !Number.isFinite(Number(text.slice(start, end))))
    throw notPlainJson('has a number out of range');
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name);
}

function tooMany(max: number, what: string): GatewayError {
  return notPlainJson(`has more than ${max} ${what}`);
}
