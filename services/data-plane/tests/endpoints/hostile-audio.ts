import { box, element, mp4Of, words } from './audio-files.ts';

/** A WebM whose track has a number of no bytes. */
export function trackWithoutNumber(): Buffer {
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    Buffer.from('1853806701ffffffffffffff', 'hex'),
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

const MEGABYTE = 1_000_000;
const filled = (start: Buffer, unit: Buffer, bytes: number) =>
  Buffer.concat([start, Buffer.alloc(bytes - (bytes % unit.length), unit)]);

/** Files of the smallest units of their format: a reader takes far longer for them than for audio. */
export const TINY_UNITS: Readonly<Record<string, (bytes?: number) => Buffer>> = {
  'void elements of WebM': (bytes = 24 * MEGABYTE) =>
    filled(
      Buffer.concat([
        element('1a45dfa3', element('4282', Buffer.from('webm'))),
        Buffer.from('1853806701ffffffffffffff', 'hex'),
      ]),
      Buffer.from('ec80', 'hex'),
      bytes,
    ),
  'tracks of WebM': (bytes = 24 * MEGABYTE) =>
    filled(
      Buffer.concat([
        element('1a45dfa3', element('4282', Buffer.from('webm'))),
        Buffer.from('1853806701ffffffffffffff1654ae6b01ffffffffffffff', 'hex'),
      ]),
      Buffer.from('ae80', 'hex'),
      bytes,
    ),
  'empty boxes of MP4': (bytes = 24 * MEGABYTE) =>
    filled(box('ftyp', Buffer.from('M4A \0\0\0\0M4A mp42')), box('free'), bytes),
  'empty blocks of FLAC': (bytes = 24 * MEGABYTE) =>
    filled(Buffer.from('fLaC'), Buffer.from([1, 0, 0, 0]), bytes),
  'empty chunks of WAV': (bytes = 24 * MEGABYTE) =>
    filled(Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'), Buffer.from('junk\0\0\0\0'), bytes),
  'empty pages of Ogg': (bytes = 24 * MEGABYTE) =>
    filled(Buffer.alloc(0), Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)]), bytes),
  'sync codes of MP3': (bytes = 24 * MEGABYTE) => filled(Buffer.alloc(0), Buffer.from([0xff]), bytes),
};
