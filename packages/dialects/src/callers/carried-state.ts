import { writeExactJson } from '../json/exact-json.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { parseBoundedExactJson } from '../json/parse-bounded-json.ts';

/** Marks state that a provider needs back in the next turn. The conversation carries it. */
const MARK = 'kept-by-model-gateway.';

export function writeCarriedState(state: object): string {
  return MARK + Buffer.from(writeExactJson(state)).toString('base64url');
}

export function isCarriedState(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK);
}

const MARK_BYTES = Buffer.from(MARK);

export function mayHoldCarriedState(chunks: readonly Buffer[]): boolean {
  const overlap = MARK_BYTES.length - 1;
  // Chunks may split the mark.
  let end: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (chunk.includes(MARK_BYTES)) return true;
    const seam = Buffer.concat([end, chunk.subarray(0, overlap)]);
    if (seam.includes(MARK_BYTES)) return true;
    end = chunk.length < overlap ? seam.subarray(-overlap) : chunk.subarray(-overlap);
  }
  return false;
}

/** @returns undefined for values of other origin */
export function readCarriedState(opaque: string): JsonObject | undefined {
  if (!opaque.startsWith(MARK)) return undefined;
  const state = parseBoundedExactJson(Buffer.from(opaque.slice(MARK.length), 'base64url').toString());
  return isObject(state) ? state : undefined;
}
