import { crc } from '../../../../packages/simulated-provider/src/audio/crc.ts';
import { silentFlac, silentMp3 } from '../../../../packages/simulated-provider/src/audio/silence.ts';
import { box, element, mp4Of, words } from './audio-files.ts';
import { wavOf } from './wav.ts';

/** 16 kbit/s: a CELT packet of 20 ms. */
const OPUS_PACKET = Buffer.concat([Buffer.from([0xf8]), Buffer.alloc(39, 0x5a)]);
const PACKETS_PER_PAGE = 50;
const GRANULES = 960;

function oggPage(packets: readonly Buffer[], granules: bigint, number: number, flags: number): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS', 'latin1');
  header[5] = flags;
  header.writeBigUInt64LE(granules, 6);
  header.writeUInt32LE(number, 18);
  header[26] = packets.length;
  const page = Buffer.concat([header, Buffer.from(packets.map(({ length }) => length)), ...packets]);
  page.writeUInt32LE(crc(page, 32, 0x04c11db7), 22);
  return page;
}

function opusPages(seconds: number, lastGranules?: bigint): Buffer[] {
  const head = Buffer.from('OpusHead\x01\x01\0\0\xc0\x5d\0\0\0\0\0', 'latin1');
  const tags = Buffer.from('OpusTags\x04\0\0\0test\0\0\0\0', 'latin1');
  const pages = Array.from({ length: seconds }, (_, index) => {
    const granules = BigInt((index + 1) * PACKETS_PER_PAGE * GRANULES);
    const isLast = index === seconds - 1;
    return oggPage(
      Array(PACKETS_PER_PAGE).fill(OPUS_PACKET),
      isLast ? (lastGranules ?? granules) : granules,
      index + 2,
      isLast ? 4 : 0,
    );
  });
  return [oggPage([head], 0n, 0, 2), oggPage([tags], 0n, 1, 0), ...pages];
}

/** Puts a page with a wrong checksum before every 31 pages, which it seems to contain. */
function swallowed(seconds: number, laces: Buffer): Buffer {
  const fake = Buffer.concat([
    Buffer.from('OggS\0\0', 'latin1'),
    Buffer.alloc(20),
    Buffer.from([255]),
    laces,
  ]);
  return Buffer.concat(
    opusPages(seconds).flatMap((page, index) =>
      index > 1 && (index - 2) % 31 === 0 ? [fake, page] : [page],
    ),
  );
}

/** AAC in Matroska at a sample rate of the caller's choice. */
function matroska(seconds: number, hertz: number): Buffer {
  const frequency = Buffer.alloc(8);
  frequency.writeDoubleBE(hertz);
  const track = element(
    'ae',
    element('d7', Buffer.from([1])),
    element('83', Buffer.from([2])),
    element('86', Buffer.from('A_AAC')),
    // AAC-LC, 44.1 kHz, one channel.
    element('63a2', Buffer.from([0x12, 0x08])),
    element('e1', element('b5', frequency), element('9f', Buffer.from([1]))),
  );
  const block = element('a3', Buffer.from([0x81, 0, 0, 0x80]), Buffer.alloc(100));
  const blocks = Math.round((seconds * 44_100) / 1_024);
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('matroska'))),
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    element('1549a966', element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40]))),
    element('1654ae6b', track),
    element('1f43b675', element('e7', Buffer.from([0])), Buffer.alloc(blocks * block.length, block)),
  ]);
}

const OPUS_ENTRY = box(
  'Opus',
  words(0, 1, 0, 0),
  Buffer.from([0, 1, 0, 16]),
  words(0, 48_000 * 65_536),
  box('dOps', Buffer.from([0, 1, 0, 0, 0, 0, 0xbb, 0x80, 0, 0, 0])),
);
const opusMp4 = (seconds: number, claimed: number) =>
  mp4Of(seconds, { claimed, entry: OPUS_ENTRY, sample: OPUS_PACKET, sampleSeconds: 0.02 });

/** An AAC file whose edit list plays the track several times. */
function repeatedEdits(seconds: number, times: number): Buffer {
  const entries = Array.from({ length: times }, () => words(seconds * 44_100, 0, 0x10000));
  return mp4Of(seconds, {
    claimed: seconds,
    track: [box('edts', box('elst', words(0, times), ...entries))],
  });
}

function variableMp3WithZeros(seconds: number): Buffer {
  const narrow = silentMp3(1_152 / 44_100);
  const wide = Buffer.alloc(Math.floor((1_152 * 64 * 125) / 44_100));
  Buffer.from('fffb50c0', 'hex').copy(wide);
  const pair = Buffer.concat([narrow, wide]);
  const audio = Buffer.alloc(Math.round((seconds * 44_100) / 1_152 / 2) * pair.length, pair);
  return Buffer.concat([audio, Buffer.alloc(audio.length)]);
}

/** An MP3 of which every frame but the first claims to be a header without audio. */
function mp3OfHeaders(seconds: number): Buffer {
  const [first, ...frames] = Array.from({ length: Math.round((seconds * 44_100) / 1_152) }, () =>
    silentMp3(1_152 / 44_100),
  );
  for (const frame of frames) frame.write('Info', 21, 'latin1');
  return Buffer.concat([first ?? Buffer.alloc(0), ...frames]);
}

/** PCM of 8 kHz whose second format says 96 kHz. */
function twoFormats(seconds: number): Buffer {
  const file = wavOf(seconds, 8_000);
  const second = Buffer.from(file.subarray(12, 36));
  second.writeUInt32LE(96_000, 12);
  return Buffer.concat([file.subarray(0, 36), second, file.subarray(36)]);
}

/** FLAC frames with gaps in their numbers. */
function skippingFlac(seconds: number): Buffer {
  const whole = silentFlac(seconds * 2);
  const starts: number[] = [];
  for (let at = whole.indexOf('fff8', 0, 'hex'); at !== -1; at = whole.indexOf('fff8', at + 1, 'hex'))
    starts.push(at);
  const frames = starts.map((at, index) => whole.subarray(at, starts[index + 1])).filter((_, n) => n % 4 < 2);
  return Buffer.concat([whole.subarray(0, starts[0]), ...frames]);
}

/** Frames of AMR at 12.2 kbit/s, which the gateway does not measure. */
const amrOf = (seconds: number) =>
  Buffer.concat([
    Buffer.from('#!AMR\n'),
    Buffer.alloc(seconds * 50 * 32, Buffer.concat([Buffer.from([0x3c]), Buffer.alloc(31, 0x11)])),
  ]);

/** Writes files that play for some seconds and look shorter, or seem to have no audio. */
export const DISGUISED: Readonly<Record<string, (seconds: number) => Buffer>> = {
  'Opus behind pages that decoders drop': (seconds) => swallowed(seconds, Buffer.alloc(255, 255)),
  'Opus behind such pages with plausible packets': (seconds) =>
    swallowed(seconds, Buffer.alloc(255, Buffer.from([255, 255, 255, 255, 200, 0]))),
  'Opus whose last page claims 2^62 samples': (seconds) => Buffer.concat(opusPages(seconds, 2n ** 62n)),
  'Opus whose last page claims nothing': (seconds) => Buffer.concat(opusPages(seconds, 0n)),
  'AAC with a stray table before its movie': (seconds) =>
    mp4Of(seconds, { claimed: 1, before: [box('stsz', words(0, 100, 1))] }),
  'AAC with two tables of samples': (seconds) =>
    mp4Of(seconds, { claimed: seconds, tables: [box('stsz', words(0, 760, Math.round(seconds * 5.7)))] }),
  'AAC whose headers claim 0 s': (seconds) => mp4Of(seconds, { claimed: 0 }),
  'AAC in two movies': (seconds) => {
    const movie = mp4Of(1, { claimed: 1 });
    return mp4Of(seconds, { claimed: seconds, before: [movie.subarray(movie.lastIndexOf('moov') - 4)] });
  },
  'AAC that an edit list plays 20 times': (seconds) => repeatedEdits(seconds / 20, 20),
  'Opus in MP4 that claims 1 s': (seconds) => opusMp4(seconds, 1),
  'AAC in Matroska at 1e-9 Hz': (seconds) => matroska(seconds, 1e-9),
  'AAC in Matroska at 5e-324 Hz': (seconds) => matroska(seconds, 5e-324),
  'AAC in Matroska at 1e300 Hz': (seconds) => matroska(seconds, 1e300),
  'MP3 with as many zeros behind it': variableMp3WithZeros,
  'MP3 of frames that claim to be headers': mp3OfHeaders,
  'PCM with two formats': twoFormats,
  'FLAC with numbers left out': skippingFlac,
  AMR: amrOf,
};
