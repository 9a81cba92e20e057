import { expect, it } from 'vitest';
import { wavOf } from '../../../tests/wav.ts';
import { AudioDurationMeter, wholeMs } from './audio-duration.ts';

it('a duration is rounded up to whole milliseconds, and not for the noise of its last digits', () => {
  expect([16.1, 16.1001, 0.0001, 585.29].map(wholeMs)).toEqual([16_100, 16_101, 1, 585_290]);
});

it('a header that promises more bytes a second than any recording has is not believed', async () => {
  const wav = wavOf(2);
  // Bytes per second of the format chunk.
  wav.writeUInt32LE(0xffff_ffff, 28);
  wav.writeUInt32LE(0xffff_ffff, 24);
  const meter = new AudioDurationMeter('audio/wav');
  meter.tap(Buffer.concat([wav, Buffer.alloc(2_000_000)]));
  expect((await meter.duration()).measured).toBe(false);
});
