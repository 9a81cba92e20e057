import { Readable } from 'node:stream';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

/** Bytes to encode at a time; a multiple of the three bytes of a base64 group. */
const GROUP_BYTES = 3;
const STEP_BYTES = 16_384 * GROUP_BYTES;

/**
 * Builds JSON with bytes as one base64 string, encoded while it is sent to save memory.
 * @param before JSON before the string; `after`: behind it
 */
export function bedrockBase64Body(before: string, bytes: readonly Buffer[], after: string): ProviderBody {
  const size = bytes.reduce((sum, { length }) => sum + length, 0);
  const encoded = Math.ceil(size / GROUP_BYTES) * 4;
  const pieces: Iterable<Buffer> = {
    *[Symbol.iterator]() {
      yield Buffer.from(before);
      for (const group of groupsOf(bytes)) yield Buffer.from(group.toString('base64'));
      yield Buffer.from(after);
    },
  };
  return {
    contentType: JSON_TYPE,
    content: Readable.from(pieces),
    length: Buffer.byteLength(before) + encoded + Buffer.byteLength(after),
    pieces,
  };
}

/** Splits bytes at multiples of three, so that pieces can be encoded one by one. */
function* groupsOf(bytes: readonly Buffer[]): Generator<Buffer> {
  let rest = Buffer.alloc(0);
  for (const chunk of bytes) {
    for (let start = 0; start < chunk.length; start += STEP_BYTES) {
      const joined = Buffer.concat([rest, chunk.subarray(start, start + STEP_BYTES)]);
      const whole = joined.length - (joined.length % GROUP_BYTES);
      yield joined.subarray(0, whole);
      rest = joined.subarray(whole);
    }
  }
  yield rest;
}
