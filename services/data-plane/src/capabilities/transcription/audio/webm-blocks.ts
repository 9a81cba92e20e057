import type { Walk } from './byte-walk.ts';
import { opusSeconds } from './opus-packet.ts';
import type { PlayingTime } from './playing-time.ts';

/** Matroska master elements (RFC 9559): their children are read as siblings. */
const CONTAINERS = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xe1, 0xa0]);
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const CODEC_ID = 0x86;
const SAMPLING_FREQUENCY = 0xb5;
const BLOCKS = new Set([0xa3, 0xa1]);
const MAX_BLOCK = 1024 * 1024;
/** Far more than an upload of speech has. */
const MAX_ELEMENTS = 1_000_000;
const SAMPLES_PER_FRAME: Readonly<Record<string, number>> = { A_AAC: 1_024, 'A_MPEG/L3': 1_152 };

interface Track {
  number: number;
  codec: string;
  hertz: number;
}

/** Counts the frames in the blocks of WebM and Matroska, whose duration field may be missing. */
export function* webmBlocks(time: PlayingTime): Walk {
  const tracks: Track[] = [];
  let bytes = 0;
  for (let elements = 0; ; elements++) {
    const id = yield* readInteger(false);
    const size = yield* readInteger(true);
    // Extrapolate the rest from the part before it.
    if (id === 0 || elements === MAX_ELEMENTS) {
      time.coveredBytes = bytes;
      return;
    }
    bytes += CONTAINERS.has(id) ? 8 : size + 2;
    if (id === TRACK_ENTRY) tracks.push({ number: 0, codec: '', hertz: 0 });
    if (CONTAINERS.has(id)) continue;
    const track = tracks.at(-1);
    if (BLOCKS.has(id) && size >= 4 && size <= MAX_BLOCK)
      time.seconds += blockSeconds(yield { take: size }, tracks);
    else if (track !== undefined && id === TRACK_NUMBER && size <= 4)
      track.number = (yield { take: size }).readUIntBE(0, size);
    else if (track !== undefined && id === CODEC_ID && size <= 64)
      track.codec = (yield { take: size }).toString('latin1');
    else if (track !== undefined && id === SAMPLING_FREQUENCY && (size === 4 || size === 8)) {
      const bytes = yield { take: size };
      track.hertz = size === 4 ? bytes.readFloatBE(0) : bytes.readDoubleBE(0);
    } else yield { skip: size };
  }
}

/** Reads a variable-length integer; a size excludes the length marker bits. */
function* readInteger(isSize: boolean): Generator<{ take: number }, number, Buffer> {
  const first = (yield { take: 1 }).readUInt8(0);
  const length = Math.clz32(first << 24) + 1;
  // Not a valid integer: the file is broken from here on.
  if (length > 8) return 0;
  let value = isSize ? first & (0xff >> length) : first;
  if (length > 1) for (const byte of yield { take: length - 1 }) value = value * 256 + byte;
  return value;
}

function blockSeconds(block: Buffer, tracks: readonly Track[]): number {
  const [first = 0] = block;
  const numberBytes = Math.clz32(first << 24) + 1;
  if (numberBytes > 4 || block.length < numberBytes + 4) return 0;
  const trackNumber = block.readUIntBE(0, numberBytes) - 2 ** (7 * numberBytes);
  const track = tracks.find((entry) => entry.number === trackNumber);
  if (track === undefined) return 0;
  const { count, at } = countFrames(block, numberBytes + 2);
  if (track.codec === 'A_OPUS') return count * opusSeconds(block.subarray(at));
  const samples = SAMPLES_PER_FRAME[track.codec.replace(/^A_AAC\/.*$/, 'A_AAC')] ?? 0;
  return track.hertz > 0 ? (count * samples) / track.hertz : 0;
}

function countFrames(block: Buffer, flagsAt: number): { count: number; at: number } {
  const lacing = (block.readUInt8(flagsAt) >> 1) & 3;
  if (lacing === 0) return { count: 1, at: flagsAt + 1 };
  const count = block.readUInt8(flagsAt + 1) + 1;
  let at = flagsAt + 2;
  if (lacing === 1) {
    // Xiph lacing: a size is a sum of bytes, the last of which is not 255.
    for (let frame = 1; frame < count; frame++) {
      while (block[at] === 255) at++;
      at++;
    }
  } else if (lacing === 3) {
    for (let frame = 1; frame < count; frame++) at += Math.clz32((block[at] ?? 0xff) << 24) + 1;
  }
  return { count, at };
}
