import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FORGED, HONEST } from '../../../tests/endpoints/audio-files.ts';
import { wavOf } from '../../../tests/endpoints/wav.ts';
import { AudioDurationMeter, wholeMs } from './audio-duration.ts';

it('a duration is rounded up to whole milliseconds, ignoring floating-point noise', () => {
  expect([16.1, 16.1001, 0.0001, 585.29].map(wholeMs)).toEqual([16_100, 16_101, 1, 585_290]);
});

it('a header with an impossible byte rate is ignored', async () => {
  const wav = wavOf(2);
  // Bytes per second of the format chunk.
  wav.writeUInt32LE(0xffff_ffff, 28);
  wav.writeUInt32LE(0xffff_ffff, 24);
  const meter = new AudioDurationMeter('audio/wav');
  meter.tap(Buffer.concat([wav, Buffer.alloc(2_000_000)]));
  expect((await meter.duration()).measured).toBe(false);
});

/** Measures a file in one piece, or as it arrives in chunks of `chunkBytes`. */
async function measure(file: Buffer, chunkBytes?: number) {
  const meter = new AudioDurationMeter('application/octet-stream');
  if (chunkBytes === undefined) meter.tap(file);
  else {
    const chunks: Buffer[] = [];
    for (let at = 0; at < file.length; at += chunkBytes) chunks.push(file.subarray(at, at + chunkBytes));
    const source = meter.tap(Readable.from(chunks));
    if (source instanceof Readable) for await (const chunk of source) void chunk;
  }
  return await meter.duration();
}

describe.each([
  [undefined, 120],
  [1_000, 120],
  // A quarter of a million chunks would show no more than these.
  [7, 20],
])('audio that arrives in chunks of %s bytes', (chunkBytes, seconds) => {
  it.each(Object.entries(HONEST))('%s is measured at its playing time', async (_name, write) => {
    const { ms, measured } = await measure(write(20), chunkBytes);
    expect(measured).toBe(true);
    expect(Math.abs(ms - 20_000)).toBeLessThan(300);
  });

  it.each(Object.entries(FORGED))(
    '%s is measured at no less than its playing time, whatever its header claims',
    async (_name, write) => {
      const { ms, measured } = await measure(write(seconds, 2), chunkBytes);
      expect(measured).toBe(true);
      expect(ms).toBeGreaterThanOrEqual((seconds - 2) * 1_000);
      expect(ms).toBeLessThan((seconds + 1) * 1_000);
    },
  );
});

describe('a header that claims more than the playing time is believed', () => {
  it.each(Object.entries(FORGED).filter(([name]) => name !== 'wav' && name !== 'ogg/opus'))(
    '%s',
    async (_name, write) => {
      expect((await measure(write(10, 60))).ms).toBeGreaterThan(59_000);
    },
  );
});

it('a file that misleads the frame count is measured by its size', async () => {
  const honest = HONEST.flac?.(20) ?? Buffer.alloc(0);
  const frames = honest.indexOf(Buffer.from('fff8', 'hex'));
  const astray = Buffer.alloc(900_000, Buffer.from('fff800', 'hex'));
  const file = Buffer.concat([honest.subarray(0, frames), astray, honest.subarray(frames)]);
  const { ms, measured } = await measure(file);
  expect(measured).toBe(false);
  expect(ms).toBeGreaterThan(50_000);
});

it('a picture in a tag does not count as audio', async () => {
  const tag = Buffer.alloc(10 + 300_000, 0xff);
  Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0x12, 0x27, 0x60]).copy(tag);
  const { ms } = await measure(Buffer.concat([tag, HONEST.mp3?.(20) ?? tag]));
  expect(Math.abs(ms - 20_000)).toBeLessThan(250);
});

it('audio without a known container is estimated at a typical rate, and flagged', async () => {
  expect(await measure(Buffer.alloc(160_000, 'noise, '))).toEqual({ ms: 10_000, measured: false });
});

it.each([
  ['zeros', Buffer.alloc(8_000_000)],
  ['sync codes', Buffer.alloc(8_000_000, 0xff)],
  [
    'empty boxes',
    Buffer.concat([Buffer.from('\0\0\0\x08ftyp'), Buffer.alloc(8_000_000, Buffer.from('\0\0\0\x08free'))]),
  ],
  [
    'empty elements',
    Buffer.concat([Buffer.from('1a45dfa380', 'hex'), Buffer.alloc(8_000_000, Buffer.from('ec80', 'hex'))]),
  ],
  ['empty pages', Buffer.alloc(8_000_000, Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)]))],
  [
    'shortest frames of mp3',
    Buffer.alloc(8_000_000, Buffer.concat([Buffer.from('fff314c0', 'hex'), Buffer.alloc(22)])),
  ],
])('a file of %s is measured in a bounded time', async (_name, file) => {
  const startedMs = performance.now();
  await measure(file, 64 * 1024);
  // A calm machine takes a tenth of it.
  expect(performance.now() - startedMs).toBeLessThan(8_000);
});
