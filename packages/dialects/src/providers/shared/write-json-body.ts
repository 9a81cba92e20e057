import { Readable } from 'node:stream';
import { CALLERS_MODELS } from '@model-gateway/shared';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import { editJson, type JsonEdits } from '../../json/edit-json.ts';
import type { JsonBody } from '../../json/json-body.ts';

export const JSON_TYPE = 'application/json';
export const EVENTS = 'text/event-stream';

/**
 * A copy of this much costs less than several writes. Larger copies are memory outside of the heap, and after
 * 64 MB of that V8 looks through all of its heap: copying bodies of 400 kB twice was half of what they cost.
 */
const MAX_COPIED_BYTES = 64 * 1024;

/**
 * The request's JSON with the provider's name of the model and the given edits, without the models that the
 * caller has named. All else is as it was sent, to the byte.
 */
export function jsonProviderBody(
  body: JsonBody<unknown>,
  upstreamModel: string,
  edits: JsonEdits = {},
): ProviderBody {
  return editedJsonBody(body, { model: JSON.stringify(upstreamModel), ...edits });
}

/** The same for a provider that has the name of the model in its path. */
export function editedJsonBody(body: JsonBody<unknown>, edits: JsonEdits): ProviderBody {
  const pieces = editedJson(body, edits);
  if (body.size <= MAX_COPIED_BYTES) return { contentType: JSON_TYPE, content: Buffer.concat(pieces) };
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { contentType: JSON_TYPE, content: Readable.from(pieces), length, pieces };
}

/** The bytes of such a body; most of them are those of the request. */
export function editedJson({ chunks, members }: JsonBody<unknown>, edits: JsonEdits): Buffer[] {
  return editJson(chunks, members, { [CALLERS_MODELS]: undefined, ...edits });
}

/** Size of the chunks of a serialized request: as much as a socket takes at a time. */
const PIECE_BYTES = 64 * 1024;

/** A request that was written anew. */
export function writtenBody(json: Uint8Array<ArrayBuffer>): ProviderBody {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const { length } = bytes;
  if (length <= MAX_COPIED_BYTES) return { contentType: JSON_TYPE, content: bytes };
  const pieces: Buffer[] = [];
  for (let start = 0; start < length; start += PIECE_BYTES) {
    pieces.push(bytes.subarray(start, start + PIECE_BYTES));
  }
  return { contentType: JSON_TYPE, content: Readable.from(pieces), length, pieces };
}
