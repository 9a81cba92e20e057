import { box, element, mp4Of, words } from './audio-files.ts';

/** The head of a WebM, up to the content of its segment. */
const WEBM = Buffer.concat([
  element('1a45dfa3', element('4282', Buffer.from('webm'))),
  Buffer.from('1853806701ffffffffffffff', 'hex'),
]);

/** A WebM whose track has a number of no bytes. */
export function trackWithoutNumber(): Buffer {
  return Buffer.concat([
    WEBM,
    element('1654ae6b', element('ae', Buffer.from('d780', 'hex'), element('86', Buffer.from('A_OPUS')))),
    element('1f43b675', element('a3', Buffer.alloc(40))),
  ]);
}

/** An MP4 of 1 kB with a table of 4 billion samples, for which the library builds a list in memory. */
export function endlessMp4(): Buffer {
  const times = box('stts', words(0, 1, 0xffff_ffff, 1_024));
  const offsets = box('ctts', words(0, 1, 0xffff_ffff, 0));
  return mp4Of(1, { claimed: 1, times, tables: [offsets] });
}

const BYTES = 24_000_000;

/** Writes a file of one unit, over and over. */
const filled =
  (start: Buffer, unit: Buffer) =>
  (bytes = BYTES): Buffer =>
    Buffer.concat([start, Buffer.alloc(bytes - (bytes % unit.length), unit)]);

/** Files of the smallest units of their format: a reader takes far longer for them than for audio. */
export const TINY_UNITS: Readonly<Record<string, (bytes?: number) => Buffer>> = {
  'void elements of WebM': filled(WEBM, Buffer.from('ec80', 'hex')),
  'tracks of WebM': filled(
    Buffer.concat([WEBM, Buffer.from('1654ae6b01ffffffffffffff', 'hex')]),
    Buffer.from('ae80', 'hex'),
  ),
  'empty boxes of MP4': filled(box('ftyp', Buffer.from('M4A \0\0\0\0M4A mp42')), box('free')),
  'empty blocks of FLAC': filled(Buffer.from('fLaC'), Buffer.from([1, 0, 0, 0])),
  'empty chunks of WAV': filled(
    Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'),
    Buffer.from('junk\0\0\0\0'),
  ),
  'empty pages of Ogg': filled(Buffer.alloc(0), Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)])),
  'sync codes of MP3': filled(Buffer.alloc(0), Buffer.from([0xff])),
};
