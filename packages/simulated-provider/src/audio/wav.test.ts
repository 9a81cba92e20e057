import { describe, expect, it } from 'vitest';
import { encodeWav, wavSeconds } from './wav.ts';

describe('a WAV file', () => {
  it('plays as long as its samples', () => {
    expect(wavSeconds(encodeWav(Buffer.alloc(2 * 24_000 * 1.5), 24_000))).toBe(1.5);
    expect(wavSeconds(encodeWav(Buffer.alloc(0), 8_000))).toBe(0);
  });

  it('may have other chunks before the samples, and an unknown length', () => {
    const plain = encodeWav(Buffer.alloc(16_000), 8_000);
    const list = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1');
    expect(wavSeconds(Buffer.concat([plain.subarray(0, 36), list, plain.subarray(36)]))).toBe(1);
    plain.writeUInt32LE(0xffffffff, 40);
    expect(wavSeconds(plain)).toBe(1);
  });

  it.each(['', 'RIFF', 'RIFF....WAVE', 'RIFF....WAVEdata\x10\0\0\0', 'ID3 is another format'])(
    'is not %j',
    (text) => {
      expect(wavSeconds(Buffer.from(text, 'latin1'))).toBeUndefined();
    },
  );
});
