import { SeededChoice } from '../text/seeded-choice.ts';
import { encodePng } from './png.ts';

/** The size of every image, whatever was asked for: large enough to be seen, small enough for a test. */
const SIZE_PIXELS = 64;
const SPOTS = 4;

type Colour = readonly [red: number, green: number, blue: number];

/** Draws a PNG of soft spots of colour; the same prompt and index always give the same one. */
export function drawImage(prompt: string, index: number): Buffer {
  const choice = new SeededChoice(`${index} ${prompt}`);
  const spots = Array.from({ length: SPOTS }, () => ({
    x: choice.below(SIZE_PIXELS),
    y: choice.below(SIZE_PIXELS),
    colour: [choice.below(256), choice.below(256), choice.below(256)] as Colour,
  }));
  const pixels = Buffer.alloc(SIZE_PIXELS * SIZE_PIXELS * 3);
  for (let pixel = 0; pixel < SIZE_PIXELS * SIZE_PIXELS; pixel++) {
    const [x, y] = [pixel % SIZE_PIXELS, Math.floor(pixel / SIZE_PIXELS)];
    const weights = spots.map((spot) => 1 / (1 + (spot.x - x) ** 2 + (spot.y - y) ** 2));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const channel of [0, 1, 2] as const) {
      const mixed = spots.reduce((sum, spot, at) => sum + spot.colour[channel] * (weights[at] ?? 0), 0);
      pixels[pixel * 3 + channel] = Math.round(mixed / total);
    }
  }
  return encodePng(SIZE_PIXELS, SIZE_PIXELS, pixels);
}
