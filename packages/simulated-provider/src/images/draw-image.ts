import { crc32, deflateSync } from 'node:zlib';
import { SeededChoice } from '../text/seeded-choice.ts';

/** The size of every image: large enough to be seen, small enough for a test. */
const SIZE_PIXELS = 64;
const SPOTS = 4;

type Colour = readonly [red: number, green: number, blue: number];

/** Draws soft spots of colour as a PNG. The same prompt and index always give the same one. */
export function drawImage(prompt: string, index: number): Buffer {
  const choice = new SeededChoice(`${index} ${prompt}`);
  const spots = Array.from({ length: SPOTS }, () => ({
    x: choice.below(SIZE_PIXELS),
    y: choice.below(SIZE_PIXELS),
    colour: [choice.below(256), choice.below(256), choice.below(256)] as Colour,
  }));
  const rows = Array.from({ length: SIZE_PIXELS }, (_, y) => [
    // Each row begins with the number of its filter; 0 is none.
    0,
    ...Array.from({ length: SIZE_PIXELS }, (_pixel, x) => {
      const weights = spots.map((spot) => 1 / (1 + (spot.x - x) ** 2 + (spot.y - y) ** 2));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return ([0, 1, 2] as const).map((channel) => {
        const mixed = spots.reduce((sum, spot, at) => sum + spot.colour[channel] * (weights[at] ?? 0), 0);
        return Math.round(mixed / total);
      });
    }).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE_PIXELS, 0);
  header.writeUInt32BE(SIZE_PIXELS, 4);
  // Eight bits a channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(4 + body.length + 4);
  frame.writeUInt32BE(content.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
