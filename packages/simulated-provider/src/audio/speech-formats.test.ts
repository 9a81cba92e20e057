import { describe, expect, it } from 'vitest';
import { SPEECH_FORMATS } from './speech-formats.ts';
import { wavSeconds } from './wav.ts';

const speech = { text: 'Hello there, this is a test.', voice: 'alloy', speed: 1 };

describe('speech', () => {
  it('takes as long as its text, and half as long at double speed', () => {
    const seconds = (speed: number) => wavSeconds(SPEECH_FORMATS.wav.encode({ ...speech, speed })) ?? 0;
    expect(seconds(1)).toBeCloseTo(1.4, 2);
    expect(seconds(2)).toBeCloseTo(0.7, 2);
  });

  it('is the same for the same text and voice, and audible', () => {
    const pcm = SPEECH_FORMATS.pcm.encode(speech);
    expect(SPEECH_FORMATS.pcm.encode(speech)).toEqual(pcm);
    expect(SPEECH_FORMATS.pcm.encode({ ...speech, voice: 'nova' })).not.toEqual(pcm);
    expect(pcm.some((byte) => byte !== 0)).toBe(true);
  });

  it('has a maximum and a minimum size in every format', () => {
    for (const { encode } of Object.values(SPEECH_FORMATS)) {
      expect(encode({ ...speech, text: 'x'.repeat(4096) }).length).toBeLessThan(2_000_000);
      expect(encode({ ...speech, text: '.' }).length).toBeGreaterThan(10);
    }
  });

  it.each([
    ['mp3', 'fffb'],
    ['aac', 'fff1'],
    ['flac', Buffer.from('fLaC').toString('hex')],
    ['opus', Buffer.from('OggS').toString('hex')],
    ['wav', Buffer.from('RIFF').toString('hex')],
  ] as const)('in %s begins with the magic bytes of the format', (format, start) => {
    expect(SPEECH_FORMATS[format].encode(speech).toString('hex').startsWith(start)).toBe(true);
  });
});
