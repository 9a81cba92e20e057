import {
  silentAac,
  silentFlac,
  silentMp3,
  silentOpus,
} from '../../../../packages/simulated-provider/src/audio/silence.ts';
import { wavOf } from './wav.ts';

const FRAME_SECONDS = 1_152 / 44_100;
const FRAME_BYTES = 104;
const AAC_HERTZ = 44_100;
const OPUS_PACKET = Buffer.from([0xfc, 0xff, 0xfe]);
const OPUS_PACKET_SECONDS = 0.02;

/** An MP3 whose first frame is a Xing header that claims so many seconds. */
function mp3Claiming(seconds: number, claimed: number): Buffer {
  const first = Buffer.alloc(FRAME_BYTES);
  Buffer.from('fffb10c0', 'hex').copy(first);
  // After the side information of one channel.
  first.write('Xing', 21, 'latin1');
  first.writeUInt32BE(3, 25);
  first.writeUInt32BE(Math.round(claimed / FRAME_SECONDS), 29);
  first.writeUInt32BE(Math.round((claimed / FRAME_SECONDS) * FRAME_BYTES), 33);
  return Buffer.concat([first, silentMp3(seconds)]);
}

/** Frames of two bit rates in turn, and a header that claims so many seconds. */
function variableMp3Claiming(seconds: number, claimed: number): Buffer {
  const narrow = silentMp3(FRAME_SECONDS);
  const wide = Buffer.alloc(Math.floor((1_152 * 64 * 125) / 44_100));
  Buffer.from('fffb50c0', 'hex').copy(wide);
  const pair = Buffer.concat([narrow, wide]);
  const pairs = Math.round(seconds / FRAME_SECONDS / 2);
  return Buffer.concat([mp3Claiming(0, claimed), Buffer.alloc(pairs * pair.length, pair)]);
}

function wavClaiming(seconds: number, claimed: number): Buffer {
  const file = wavOf(seconds);
  file.writeUInt32LE(claimed * 32_000, 40);
  return file;
}

/** Adds a `fact` chunk with a count of samples, which music players believe. */
function wavWithFact(seconds: number, claimed: number): Buffer {
  const file = wavOf(seconds);
  const fact = Buffer.alloc(12);
  fact.write('fact', 0, 'latin1');
  fact.writeUInt32LE(4, 4);
  fact.writeUInt32LE(claimed * 16_000, 8);
  return Buffer.concat([file.subarray(0, 36), fact, file.subarray(36)]);
}

function flacClaiming(seconds: number, claimed: number): Buffer {
  const file = silentFlac(seconds);
  // The last 32 of the 36 bits that count samples.
  file.writeUInt32BE(Math.round(claimed * 24_000), 8 + 14);
  return file;
}

/** Rewrites the positions of all pages. */
function opusClaiming(seconds: number, claimed: number): Buffer {
  const file = silentOpus(seconds);
  for (let at = file.indexOf('OggS'); at !== -1; at = file.indexOf('OggS', at + 4)) {
    const position = file.readBigUInt64LE(at + 6);
    const last = BigInt(Math.round(claimed * 48_000));
    if (position > last) file.writeBigUInt64LE(last, at + 6);
  }
  return file;
}

export function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
};

interface Mp4Options {
  /** Duration that all headers claim. */
  claimed: number;
  /** Sample entry and samples; else AAC of 35 kbit/s. */
  entry?: Buffer;
  sample?: Buffer;
  sampleSeconds?: number;
  /** The table of durations, if not an honest one. */
  times?: Buffer;
  /** Further boxes beside the sample tables, in the track, and before the movie. */
  tables?: Buffer[];
  track?: Buffer[];
  before?: Buffer[];
}

const AAC_ENTRY = box(
  'mp4a',
  words(0, 1, 0, 0),
  Buffer.from([0, 1, 0, 16]),
  words(0, AAC_HERTZ * 65_536),
  box(
    'esds',
    words(0),
    Buffer.from([3, 25, 0, 1, 0, 4, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    // AAC-LC, 44.1 kHz, one channel.
    Buffer.from([5, 2, 0x12, 0x08, 6, 1, 2]),
  ),
);

/** An MP4 with one audio track; the tables of samples list all that there are. */
export function mp4Of(seconds: number, options: Mp4Options): Buffer {
  const {
    claimed,
    entry = AAC_ENTRY,
    sample = Buffer.alloc(100),
    sampleSeconds = 1_024 / AAC_HERTZ,
  } = options;
  const frames = Math.round(seconds / sampleSeconds);
  const units = Math.round(claimed * AAC_HERTZ);
  const ftyp = box('ftyp', Buffer.from('M4A \0\0\0\0M4A mp42'));
  const before = options.before ?? [];
  const mdat = box('mdat', Buffer.alloc(frames * sample.length, sample));
  const samplesAt = [ftyp, ...before].reduce((sum, { length }) => sum + length, 8);
  const stbl = box(
    'stbl',
    box('stsd', words(0, 1), entry),
    options.times ?? box('stts', words(0, 1, frames, Math.max(1, Math.round(units / frames)))),
    box('stsc', words(0, 1, 1, frames, 1)),
    ...(options.tables ?? []),
    box('stsz', words(0, sample.length, frames)),
    box('stco', words(0, 1, samplesAt)),
  );
  const trak = box(
    'trak',
    box('tkhd', words(7, 0, 0, 1, 0, units), Buffer.alloc(60)),
    ...(options.track ?? []),
    box(
      'mdia',
      box('mdhd', words(0, 0, 0, AAC_HERTZ, units, 0)),
      box('hdlr', words(0, 0), Buffer.from('soun'), Buffer.alloc(13)),
      box('minf', box('smhd', words(0, 0)), stbl),
    ),
  );
  const mvhd = box('mvhd', words(0, 0, 0, AAC_HERTZ, units), Buffer.alloc(80));
  return Buffer.concat([ftyp, ...before, mdat, box('moov', mvhd, trak)]);
}

const m4aClaiming = (seconds: number, claimed: number) => mp4Of(seconds, { claimed });

export function element(id: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x1000_0000 + body.length);
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

/** WebM as a browser records it; with a duration, as a file that was written to its end has it. */
function webmClaiming(seconds: number, claimed: number | undefined): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE((claimed ?? 0) * 1_000);
  const hertz = Buffer.alloc(4);
  hertz.writeFloatBE(48_000);
  const track = element(
    'ae',
    element('d7', Buffer.from([1])),
    element('83', Buffer.from([2])),
    element('86', Buffer.from('A_OPUS')),
    element('e1', element('b5', hertz), element('9f', Buffer.from([1]))),
  );
  const block = element('a3', Buffer.from([0x81, 0, 0, 0x80]), OPUS_PACKET);
  const blocks = Math.round(seconds / OPUS_PACKET_SECONDS);
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    element(
      '1549a966',
      element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])),
      ...(claimed === undefined ? [] : [element('4489', duration)]),
    ),
    element('1654ae6b', track),
    element('1f43b675', element('e7', Buffer.from([0])), Buffer.alloc(blocks * block.length, block)),
  ]);
}

/** Files that play so long, by the containers that providers take. */
export const HONEST: Record<string, (seconds: number) => Buffer> = {
  mp3: silentMp3,
  'mp3 with a header': (seconds) => mp3Claiming(seconds, seconds),
  'mp3 of several bit rates': (seconds) => variableMp3Claiming(seconds, seconds),
  aac: silentAac,
  wav: wavOf,
  flac: silentFlac,
  'ogg/opus': silentOpus,
  m4a: (seconds) => m4aClaiming(seconds, seconds),
  webm: (seconds) => webmClaiming(seconds, seconds),
  'webm without a duration': (seconds) => webmClaiming(seconds, undefined),
};

/** Files that play longer than they claim. */
export const FORGED: Record<string, (seconds: number, claimed: number) => Buffer> = {
  mp3: mp3Claiming,
  'mp3 of several bit rates': variableMp3Claiming,
  wav: wavClaiming,
  'wav with a count of samples': wavWithFact,
  flac: flacClaiming,
  'ogg/opus': opusClaiming,
  m4a: m4aClaiming,
  webm: (seconds, claimed) => webmClaiming(seconds, claimed),
};
