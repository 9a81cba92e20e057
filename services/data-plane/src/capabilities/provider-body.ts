import { Readable } from 'node:stream';
import { editJson, type JsonEdits } from '../json/edit-json.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import type { ProviderBody } from '../upstream/capability-call.ts';

/**
 * A copy of this much costs less than several writes. Larger copies are memory outside of the heap, and after 64 MB of
 * that V8 looks through all of its heap: copying bodies of 400 kB twice was half of what they cost.
 */
const MAX_COPIED_BYTES = 64 * 1024;

/**
 * The request's JSON with its changes, and without `notre`, which is for the caller's own notes: a strict provider would
 * refuse it as unknown. All else is as it was sent, to the byte.
 */
export function jsonProviderBody(body: JsonBody<unknown>, edits: JsonEdits): ProviderBody {
  const pieces = editJson(body.chunks, body.members, { notre: undefined, ...edits });
  const contentType = 'application/json';
  if (body.size <= MAX_COPIED_BYTES) return { contentType, content: Buffer.concat(pieces) };
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { contentType, content: Readable.from(pieces), length };
}
