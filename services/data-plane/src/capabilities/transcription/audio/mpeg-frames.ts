import type { Walk } from './byte-walk.ts';
import type { PlayingTime } from './playing-time.ts';

/** MP3 (MPEG-1, 2 and 2.5, layers I to III) and AAC in ADTS: each frame header holds the frame's length. */

const KBITS_OF_MPEG1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const KBITS_OF_MPEG2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const HERTZ = [44_100, 48_000, 32_000];
export const AAC_HERTZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const SYNC = Buffer.from([0xff]);
/** Limit of false sync bytes. A file with more was made to mislead the count. */
const MAX_MISSES = 100_000;

interface Frame {
  bytes: number;
  seconds: number;
  /** Equal for all frames of one stream. */
  kind: number;
}

export function* mpegFrames(time: PlayingTime): Walk {
  time.otherBytes += yield* id3Tag();
  let isSynced = false;
  for (let misses = 0; misses < MAX_MISSES; ) {
    const head = yield { peek: 7 };
    const frame = frameOf(head);
    if (frame !== undefined && (isSynced || (yield* isFollowed(frame)))) {
      time.seconds += frame.seconds;
      time.coveredBytes += frame.bytes;
      isSynced = true;
      yield { skip: frame.bytes };
    } else {
      misses++;
      isSynced = false;
      yield { skip: 1 };
      yield { find: SYNC };
    }
  }
  time.isLost = true;
}

/** Skips ID3v2 tags. @returns their total bytes */
export function* id3Tag(): Generator<{ peek: number } | { skip: number }, number, Buffer> {
  let bytes = 0;
  for (;;) {
    const head = yield { peek: 10 };
    if (head.toString('latin1', 0, 3) !== 'ID3') return bytes;
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
    const withFooter = ((head[5] ?? 0) & 0x10) === 0 ? 10 : 20;
    bytes += size + withFooter;
    yield { skip: size + withFooter };
  }
}

/** An unexpected frame counts only if a frame of the same kind follows. */
function* isFollowed(frame: Frame): Generator<{ peek: number }, boolean, Buffer> {
  const bytes = yield { peek: frame.bytes + 7 };
  return frameOf(bytes.subarray(frame.bytes))?.kind === frame.kind;
}

function frameOf(head: Buffer): Frame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) {
    const hertz = AAC_HERTZ[(third >> 2) & 0x0f];
    const bytes = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    if (hertz === undefined || bytes < 7) return undefined;
    return { bytes, seconds: (1_024 * ((seventh & 3) + 1)) / hertz, kind: hertz };
  }
  const version = (second >> 3) & 3;
  const layer = 3 - ((second >> 1) & 3);
  const hertzOfMpeg1 = HERTZ[(third >> 2) & 3];
  if (version === 1 || layer === 3 || hertzOfMpeg1 === undefined) return undefined;
  const isMpeg1 = version === 3;
  const kbits = (isMpeg1 ? KBITS_OF_MPEG1 : KBITS_OF_MPEG2)[layer]?.[(third >> 4) - 1];
  if (kbits === undefined) return undefined;
  const hertz = hertzOfMpeg1 / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 0 ? 384 : layer === 2 && !isMpeg1 ? 576 : 1_152;
  const padding = ((third >> 1) & 1) * (layer === 0 ? 4 : 1);
  const slot = layer === 0 ? 4 : 1;
  const bytes = Math.floor((samples * kbits * 125) / hertz / slot) * slot + padding;
  return { bytes, seconds: samples / hertz, kind: -(version * 16 + layer * 4 + ((third >> 2) & 3)) - 1 };
}
