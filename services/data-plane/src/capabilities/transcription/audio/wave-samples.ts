import type { Walk } from './byte-walk.ts';
import type { PlayingTime } from './playing-time.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** Bits per sample by format tag: A-law, µ-law and the common kinds of ADPCM. */
const PACKED_BITS: Readonly<Record<number, number>> = { 2: 4, 6: 8, 7: 8, 17: 4 };
const HEADER = 8;
/** Sizes that streaming writers leave: the audio goes on to the end. */
const OPEN_ENDED = new Set([0, 0xffff_ffff]);

/**
 * Counts the "data" chunks of WAV at the rate of their samples. Ignores the header's byte rate and sample
 * count, which no decoder needs.
 */
export function* waveSamples(time: PlayingTime): Walk {
  yield { skip: 12 };
  let at = 12;
  let bytesPerSecond: number | undefined;
  for (;;) {
    const head = yield { peek: HEADER };
    const name = head.toString('latin1', 0, 4);
    const size = head.readUInt32LE(4);
    const isChunk = /^[\x20-\x7e]{4}$/.test(name);
    if (bytesPerSecond !== undefined && (!isChunk || (name === 'data' && OPEN_ENDED.has(size)))) {
      // Bytes that form no chunk count as audio: a declared size was too small.
      time.plain = { from: isChunk ? at + HEADER : at, bytes: Number.POSITIVE_INFINITY, bytesPerSecond };
      return;
    }
    yield { skip: HEADER };
    const padded = size + (size % 2);
    if (name === 'fmt ' && size >= 16) {
      const taken = Math.min(size, 40);
      bytesPerSecond = rateOf(yield { take: taken });
      if (bytesPerSecond === undefined) return;
      yield { skip: padded - taken };
    } else if (name === 'data' && bytesPerSecond !== undefined) {
      time.plain = { from: at + HEADER, bytes: size, bytesPerSecond };
      yield { skip: padded };
      time.plain = undefined;
      time.seconds += size / bytesPerSecond;
    } else {
      yield { skip: padded };
    }
    at += HEADER + padded;
  }
}

function rateOf(format: Buffer): number | undefined {
  const kind = format.readUInt16LE(0);
  const tag = kind === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : kind;
  const channels = format.readUInt16LE(2);
  const hertz = format.readUInt32LE(4);
  const bits = tag === PCM || tag === FLOAT ? Math.ceil(format.readUInt16LE(14) / 8) * 8 : PACKED_BITS[tag];
  const rate = bits === undefined ? 0 : (hertz * channels * bits) / 8;
  return rate > 0 ? rate : undefined;
}
