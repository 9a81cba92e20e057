import type { Walk } from './byte-walk.ts';
import { id3Tag } from './mpeg-frames.ts';
import type { PlayingTime } from './playing-time.ts';

const STREAMINFO = 0;
/** Longest frame header: sync, codes, a number of up to 7 bytes, two 16-bit values, a checksum. */
const MAX_HEADER = 16;
const MAX_MISSES = 200_000;

/** Counts the samples of each FLAC frame (its header has a checksum) instead of trusting STREAMINFO. */
export function* flacFrames(time: PlayingTime): Walk {
  yield* id3Tag();
  yield { skip: 4 };
  let hertz = 0;
  for (let isLast = false; !isLast; ) {
    const head = yield { take: 4 };
    isLast = head.readUInt8(0) >= 0x80;
    const size = head.readUIntBE(1, 3);
    const isInfo = (head.readUInt8(0) & 0x7f) === STREAMINFO && size >= 18;
    if (isInfo) hertz = (yield { peek: 18 }).readUIntBE(10, 3) >> 4;
    yield { skip: size };
  }
  if (hertz === 0) return;
  // The sync code includes the block size strategy, which never changes within a stream.
  const sync = Buffer.from((yield { peek: 2 }).subarray(0, 2));
  for (let misses = 0; misses < MAX_MISSES; ) {
    yield { find: sync };
    const samples = samplesOf(yield { peek: MAX_HEADER });
    if (samples === undefined) misses++;
    else time.seconds += samples / hertz;
    yield { skip: 2 };
  }
  time.isLost = true;
}

/** Parses a frame header. @returns undefined if it is none */
function samplesOf(head: Buffer): number | undefined {
  const [, second = 0, codes = 0, more = 0] = head;
  if ((second & 0xfe) !== 0xf8 || (more & 1) !== 0) return undefined;
  const blockCode = codes >> 4;
  const hertzCode = codes & 0x0f;
  if (blockCode === 0 || hertzCode === 0x0f) return undefined;
  // The frame number, encoded like a UTF-8 character.
  const ones = Math.clz32(~(head.readUInt8(4) << 24));
  if (ones === 1 || ones > 7) return undefined;
  let at = 4 + Math.max(1, ones);
  let samples = blockCode === 1 ? 192 : blockCode < 6 ? 576 << (blockCode - 2) : 256 << (blockCode - 8);
  if (blockCode === 6) samples = head.readUInt8(at++) + 1;
  if (blockCode === 7) {
    samples = head.readUInt16BE(at) + 1;
    at += 2;
  }
  at += hertzCode === 12 ? 1 : hertzCode === 13 || hertzCode === 14 ? 2 : 0;
  return at < MAX_HEADER && crc8(head.subarray(0, at)) === head.readUInt8(at) ? samples : undefined;
}

function crc8(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}
