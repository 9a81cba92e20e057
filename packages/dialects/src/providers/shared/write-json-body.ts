import { Readable } from 'node:stream';
import { CALLERS_MODELS, CALLERS_SESSION } from '@model-gateway/shared';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import { totalLength } from '../../json/chunks.ts';
import { editJson, type JsonEdits } from '../../json/edit-json.ts';
import type { JsonBody } from '../../json/json-body.ts';

export const JSON_TYPE = 'application/json';
export const EVENTS = 'text/event-stream';

/**
 * Copying up to this size costs less than several writes. Larger copies are external memory, and V8 collects
 * its whole heap after each 64 MB of that.
 */
const MAX_COPIED_BYTES = 64 * 1024;

/** Sets the provider's name of the model and other edits, and keeps every other byte. */
export function jsonProviderBody(
  body: JsonBody<unknown>,
  upstreamModel: string,
  edits: JsonEdits = {},
): ProviderBody {
  return editedJsonBody(body, { model: JSON.stringify(upstreamModel), ...edits });
}

/** For providers with the model in the path. */
export function editedJsonBody(body: JsonBody<unknown>, edits: JsonEdits): ProviderBody {
  const pieces = editedJson(body, edits);
  if (body.size <= MAX_COPIED_BYTES) return { contentType: JSON_TYPE, content: Buffer.concat(pieces) };
  const length = totalLength(pieces);
  return { contentType: JSON_TYPE, content: Readable.from(pieces), length, pieces };
}

export function editedJson({ chunks, members }: JsonBody<unknown>, edits: JsonEdits): Buffer[] {
  return editJson(chunks, members, { [CALLERS_MODELS]: undefined, [CALLERS_SESSION]: undefined, ...edits });
}

/** Chunk size of a serialized request: what a socket takes at once. */
const PIECE_BYTES = 64 * 1024;

export function serializedBody(json: Uint8Array<ArrayBuffer>): ProviderBody {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const { length } = bytes;
  if (length <= MAX_COPIED_BYTES) return { contentType: JSON_TYPE, content: bytes };
  const pieces: Buffer[] = [];
  for (let start = 0; start < length; start += PIECE_BYTES) {
    pieces.push(bytes.subarray(start, start + PIECE_BYTES));
  }
  return { contentType: JSON_TYPE, content: Readable.from(pieces), length, pieces };
}
