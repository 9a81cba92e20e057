import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Chunks, plainEscapes } from '@model-gateway/dialects';
import { REDACTED, type Secrets, secretsAsBytes } from './redact.ts';

/** Bytes to search before yielding to the event loop. */
const SLICE_BYTES = 4 * 1024 * 1024;
const BACKSLASH = 0x5c;

/**
 * Removes our provider credentials from a response in pieces, as `cleanAnswer` does.
 * @param isJson true if characters may be escaped
 */
export async function cleanPieces(pieces: Buffer[], secrets: Secrets, isJson: boolean): Promise<Buffer[]> {
  const secretBytes = secretsAsBytes(secrets);
  if (secretBytes.length === 0) return pieces;
  let cleaned = isJson ? await unescapePieces(pieces) : pieces;
  for (const secret of secretBytes) cleaned = await withoutBytes(cleaned, secret);
  return cleaned;
}

/** Unescapes plain characters, so that escaped secrets are found. */
async function unescapePieces(pieces: Buffer[]): Promise<Buffer[]> {
  if (!pieces.some((piece) => piece.includes(BACKSLASH))) return pieces;
  const plain: Buffer[] = [];
  const slices = new EventLoopSlices();
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    await slices.afterBytes(piece.length);
    const joined = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const translated = plainEscapes(joined);
    plain.push(translated.bytes);
    rest = translated.rest;
  }
  if (rest.length > 0) plain.push(rest);
  return plain;
}

async function withoutBytes(pieces: Buffer[], secret: Buffer): Promise<Buffer[]> {
  const found = await findOccurrences(pieces, secret);
  if (found.length === 0) return pieces;
  const chunks = new Chunks(pieces);
  const cleaned: Buffer[] = [];
  let copied = 0;
  for (const start of found) {
    cleaned.push(...chunks.slice(copied, start), Buffer.from(REDACTED));
    copied = start + secret.length;
  }
  cleaned.push(...chunks.slice(copied, chunks.size));
  return cleaned;
}

/** Finds the positions of `bytes` in the pieces, without overlaps. */
async function findOccurrences(pieces: readonly Buffer[], bytes: Buffer): Promise<number[]> {
  const found: number[] = [];
  const slices = new EventLoopSlices();
  const overlap = bytes.length - 1;
  let next = 0;
  let before: Buffer = Buffer.alloc(0);
  let at = 0;
  const search = (text: Buffer, textAt: number) => {
    let position = text.indexOf(bytes, Math.max(0, next - textAt));
    while (position !== -1) {
      found.push(textAt + position);
      next = textAt + position + bytes.length;
      position = text.indexOf(bytes, position + bytes.length);
    }
  };
  for (const piece of pieces) {
    await slices.afterBytes(piece.length);
    // It may span several pieces.
    if (before.length > 0) search(Buffer.concat([before, piece.subarray(0, overlap)]), at - before.length);
    search(piece, at);
    before = lastBytes(before, piece, overlap);
    at += piece.length;
  }
  return found;
}

function lastBytes(before: Buffer, piece: Buffer, count: number): Buffer {
  if (piece.length >= count) return piece.subarray(piece.length - count);
  const both = Buffer.concat([before, piece]);
  return both.subarray(Math.max(0, both.length - count));
}

/** Yields to the event loop after each SLICE_BYTES of work. */
class EventLoopSlices {
  #bytes = 0;

  async afterBytes(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < SLICE_BYTES) return;
    this.#bytes = 0;
    await yieldToEventLoop();
  }
}
