import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawImage } from './draw-image.ts';

describe('a drawn image', () => {
  it('is a PNG whose header, size and pixel data agree', () => {
    const png = drawImage('a lighthouse at dusk', 0);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([64, 64]);
    const length = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString()).toBe('IDAT');
    expect(inflateSync(png.subarray(41, 41 + length))).toHaveLength(64 * (64 * 3 + 1));
    expect(png.subarray(-8).toString('hex')).toBe('49454e44ae426082');
  });

  it('depends on the prompt and the index alone', () => {
    expect(drawImage('a', 0)).toEqual(drawImage('a', 0));
    expect(drawImage('a', 0)).not.toEqual(drawImage('b', 0));
    expect(drawImage('a', 0)).not.toEqual(drawImage('a', 1));
  });
});
