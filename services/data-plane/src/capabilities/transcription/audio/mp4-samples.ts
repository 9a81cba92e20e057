import type { Walk } from './byte-walk.ts';
import { AAC_HERTZ } from './mpeg-frames.ts';
import type { PlayingTime } from './playing-time.ts';

/** Container boxes: their children are read as siblings. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf']);
/** Leaf boxes that are read, each up to MAX_READ bytes. */
const LEAVES = new Set(['tkhd', 'hdlr', 'stsd', 'stsz', 'stz2', 'tfhd', 'trun']);
const MAX_READ = 4_096;
const SAMPLES: Readonly<Record<string, number>> = {
  mp4a: 1_024,
  alac: 4_096,
  'ac-3': 1_536,
  'ec-3': 1_536,
  '.mp3': 1_152,
};
const PLAIN = new Set(['sowt', 'twos', 'lpcm', 'in24', 'in32', 'fl32', 'raw ', 'alaw', 'ulaw', 'ipcm']);

interface Track {
  id: number;
  isAudio: boolean;
  /** Duration of one sample; 0: unknown for this codec. */
  seconds: number;
}

/**
 * Counts the frames that the sample tables of MP4 and M4A list, each as long as its codec defines. Ignores
 * durations and time scales, which a file can forge.
 */
export function* mp4Samples(time: PlayingTime): Walk {
  const tracks: Track[] = [];
  let fragmentOf: Track | undefined;
  for (;;) {
    const head = yield { take: 8 };
    const name = head.toString('latin1', 4);
    let size = head.readUInt32BE(0) - 8;
    if (size === -7) size = Number((yield { take: 8 }).readBigUInt64BE(0)) - 16;
    // A size of 0 means "to the end of the file"; other small sizes are invalid.
    if (size < 0) return;
    if (name === 'trak') tracks.push({ id: 0, isAudio: false, seconds: 0 });
    if (CONTAINERS.has(name)) continue;
    if (!LEAVES.has(name) || size < 8) {
      yield { skip: size };
      continue;
    }
    const taken = Math.min(size, MAX_READ);
    const box = yield { take: taken };
    const track = tracks.at(-1);
    if (name === 'tfhd') fragmentOf = tracks.find(({ id }) => id === box.readUInt32BE(4));
    else if (name === 'trun') time.seconds += box.readUInt32BE(4) * secondsOf(fragmentOf);
    else if (track === undefined) return;
    else if (name === 'tkhd' && taken >= 24) track.id = box.readUInt32BE(box.readUInt8(0) === 1 ? 20 : 12);
    else if (name === 'hdlr' && taken >= 12) track.isAudio = box.toString('latin1', 8, 12) === 'soun';
    else if (name === 'stsd' && taken >= 44) track.seconds = sampleSeconds(box);
    else if (taken >= 12) time.seconds += box.readUInt32BE(8) * secondsOf(track);
    yield { skip: size - taken };
  }
}

function secondsOf(track: Track | undefined): number {
  return track?.isAudio === true ? track.seconds : 0;
}

/** Returns the duration of one sample, from the first sample description. */
function sampleSeconds(description: Buffer): number {
  const codec = description.toString('latin1', 12, 16);
  const hertz = description.readUInt32BE(40) / 65_536;
  if (PLAIN.has(codec)) return hertz > 0 ? 1 / hertz : 0;
  const samples = SAMPLES[codec] ?? 0;
  const codecHertz = codec === 'mp4a' ? (aacHertz(description) ?? hertz) : hertz;
  return codecHertz > 0 ? samples / codecHertz : 0;
}

/** Returns the AAC sample rate, from the first bits of its configuration in the "esds" box. */
function aacHertz(description: Buffer): number | undefined {
  const box = description.indexOf('esds');
  if (box === -1) return undefined;
  // Descriptors: 3 (elementary stream), in it 4 (decoder), in it 5 (the configuration).
  let at = box + 8;
  for (const [tag, own] of [
    [3, 3],
    [4, 13],
    [5, 0],
  ] as const) {
    if (description[at] !== tag) return undefined;
    at++;
    while (((description[at] ?? 0) & 0x80) !== 0) at++;
    at += 1 + own;
  }
  if (at + 5 > description.length) return undefined;
  const bits = description.readUInt32BE(at);
  // An object type of 31 is continued in six more bits.
  const shift = bits >>> 27 === 31 ? 11 : 5;
  return AAC_HERTZ[(bits >>> (28 - shift)) & 0x0f];
}
