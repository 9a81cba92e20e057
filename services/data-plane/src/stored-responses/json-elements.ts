import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes to scan before yielding to the event loop. */
const SLICE_BYTES = 256 * 1024;

/**
 * Splits a JSON array into the bytes of its elements, or an object into those of its members, without parsing
 * them.
 * @param json an array or object; for text that is not JSON the result may be nonsense
 * @throws RangeError for more than `max` elements, and where the last bracket is missing
 */
export async function elementsOf(json: Buffer, max = Number.POSITIVE_INFINITY): Promise<Buffer[]> {
  const elements: Buffer[] = [];
  let depth = 0;
  let start = 0;
  let isEmpty = true;
  let nextYieldAt = SLICE_BYTES;
  for (let position = 0; position < json.length; position++) {
    if (position >= nextYieldAt) {
      nextYieldAt = position + SLICE_BYTES;
      await yieldToEventLoop();
    }
    if (elements.length > max) throw new RangeError(`there are more than ${max} elements`);
    const byte = json[position];
    if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 0 && !isEmpty) elements.push(json.subarray(start, position));
      continue;
    }
    if (byte === COMMA && depth === 1) {
      elements.push(json.subarray(start, position));
      start = position + 1;
      continue;
    }
    if (depth > 0 && !isSpace(byte)) isEmpty = false;
    if (byte === QUOTE) position = stringEnd(json, position);
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1;
      if (depth === 1) start = position + 1;
    }
  }
  if (depth !== 0) throw new RangeError('a bracket is missing');
  return elements;
}

/** Returns the bytes between the brackets of an array; none for an empty one. */
export function insideOf(array: readonly Buffer[]): Buffer[] {
  const last = array.length - 1;
  const inside = array.map((piece, index) =>
    piece.subarray(index === 0 ? 1 : 0, index === last ? -1 : undefined),
  );
  return inside.every((piece) => piece.every(isSpace)) ? [] : inside;
}

/** Returns the position of the quote that ends the string starting at `start`. */
function stringEnd(json: Buffer, start: number): number {
  for (let quote = json.indexOf(QUOTE, start + 1); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return json.length;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
