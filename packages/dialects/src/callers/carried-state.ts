import { writeExactJson } from '../json/exact-json.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { parseBoundedExactJson } from '../json/parse-bounded-json.ts';

/** Marks state that a provider needs back in the next turn. The conversation carries it. */
const MARK = 'kept-by-model-gateway.';

export function writeCarriedState(kept: object): string {
  return MARK + Buffer.from(writeExactJson(kept)).toString('base64url');
}

export function isCarriedState(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK);
}

const MARK_BYTES = Buffer.from(MARK);

export function mayHoldCarriedState(chunks: readonly Buffer[]): boolean {
  const most = MARK_BYTES.length - 1;
  // Chunks may split the mark.
  let end: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (chunk.includes(MARK_BYTES)) return true;
    const seam = Buffer.concat([end, chunk.subarray(0, most)]);
    if (seam.includes(MARK_BYTES)) return true;
    end = chunk.length < most ? seam.subarray(-most) : chunk.subarray(-most);
  }
  return false;
}

/** @returns undefined for values of other origin */
export function readCarriedState(opaque: string): JsonObject | undefined {
  if (!opaque.startsWith(MARK)) return undefined;
  const kept = parseBoundedExactJson(Buffer.from(opaque.slice(MARK.length), 'base64url').toString());
  return isObject(kept) ? kept : undefined;
}
