import { causedByRequest } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';

/** Bounds memory: no model writes more. */
const MAX_STEPS = 64;
const MAX_INDEX = 10_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Assembles streamed arguments. Each piece has a path, and a string may come in several pieces. Source:
 * `PartialArg` in Google's API reference.
 */
export class GeminiPartialArgs {
  readonly #root: { value: unknown } = { value: undefined };
  /** The path of a string that continues in the next piece. */
  #openPath: string | undefined;
  #characters = 0;

  /** @throws GatewayError 502 for an invalid piece */
  add(pieces: unknown): void {
    if (pieces === undefined) return;
    if (!Array.isArray(pieces) || pieces.length > MAX_PARTS) throw broken();
    for (const piece of pieces) this.#add(piece);
  }

  get args(): object {
    return isObject(this.#root.value) ? this.#root.value : {};
  }

  #add(piece: unknown): void {
    if (!isObject(piece) || typeof piece.jsonPath !== 'string') throw broken();
    const { jsonPath: path } = piece;
    const value = valueIn(piece);
    if (value === undefined) return;
    this.#characters += path.length + (typeof value === 'string' ? value.length : 0);
    if (this.#characters > MAX_CHARACTERS) throw broken();
    const goesOn = this.#openPath === path && typeof value === 'string';
    this.#openPath = piece.willContinue === true ? path : undefined;
    place(this.#root, stepsOf(path), value, goesOn);
  }
}

function valueIn({ boolValue, nullValue, numberValue, stringValue }: JsonObject): unknown {
  if (nullValue !== undefined) return null;
  return stringValue ?? numberValue ?? boolValue;
}

type Step = string | number;

/** `$.operations[0].action`, also with names in quotes: `$['a b']`. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  const pattern = /\.([^.[\]]+)|\[(\d{1,5})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;
  if (!path.startsWith('$')) throw broken();
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path);
    if (found === null || steps.length === MAX_STEPS) throw broken();
    const [, plain, index, single, double] = found;
    if (index === undefined) steps.push(plain ?? (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'));
    else if (Number(index) > MAX_INDEX) throw broken();
    else steps.push(Number(index));
  }
  return steps;
}

/** Defines every member as an own property, so that no name reaches a prototype. */
function place(root: { value: unknown }, steps: readonly Step[], value: unknown, goesOn: boolean): void {
  let holder: object = root;
  let name: Step = 'value';
  for (const step of steps) {
    const inner: unknown = ownMember(holder, name);
    const isFit = typeof step === 'number' ? Array.isArray(inner) : isObject(inner);
    if (inner !== undefined && !isFit) throw broken();
    const next: object = typeof inner === 'object' && inner !== null ? inner : emptyFor(step);
    if (next !== inner) setMember(holder, name, next);
    if (Array.isArray(next) && typeof step === 'number' && step > next.length) throw broken();
    holder = next;
    name = step;
  }
  const begun = goesOn ? ownMember(holder, name) : undefined;
  setMember(holder, name, typeof begun === 'string' && typeof value === 'string' ? begun + value : value);
}

function emptyFor(step: Step): object {
  return typeof step === 'number' ? [] : {};
}

function ownMember(holder: object, name: Step): unknown {
  return Object.getOwnPropertyDescriptor(holder, name)?.value;
}

function setMember(holder: object, name: Step, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

function broken(): Error {
  return causedByRequest('a piece of the arguments of a call is none');
}
