import { setImmediate as nextTurn } from 'node:timers/promises';
import { Chunks, plainEscapes } from '@model-gateway/dialects';
import { REDACTED, type Secrets, secretsAsBytes } from './redact.ts';

/** Looked through at a time: others have their turn in between. */
const BYTES_PER_TURN = 4 * 1024 * 1024;

/**
 * Removes the provider credentials of ours from an answer that is passed on in pieces, as `cleanAnswer` does.
 * @param isJson its characters may be escaped
 */
export async function cleanPieces(pieces: Buffer[], secrets: Secrets, isJson: boolean): Promise<Buffer[]> {
  const unwanted = secretsAsBytes(secrets);
  if (unwanted.length === 0) return pieces;
  let cleaned = isJson ? await withPlainEscapes(pieces) : pieces;
  for (const secret of unwanted) cleaned = await withoutBytes(cleaned, secret);
  return cleaned;
}

/** An escaped secret is one all the same. */
async function withPlainEscapes(pieces: Buffer[]): Promise<Buffer[]> {
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

const BACKSLASH = 0x5c;

async function withoutBytes(pieces: Buffer[], secret: Buffer): Promise<Buffer[]> {
  const found = await occurrences(pieces, secret);
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

/** Where `bytes` stand in the pieces, none within another. */
async function occurrences(pieces: readonly Buffer[], bytes: Buffer): Promise<number[]> {
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
    // It may stand in several of them.
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

/** Splits long work over several turns of the event loop. */
class EventLoopSlices {
  #bytes = 0;

  async afterBytes(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_TURN) return;
    this.#bytes = 0;
    await nextTurn();
  }
}
