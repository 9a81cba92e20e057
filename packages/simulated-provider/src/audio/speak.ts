import { SeededChoice } from '../text/seeded-choice.ts';

/** OpenAI's pcm is 24 kHz, 16 bits, one channel. */
export const SAMPLE_RATE = 24_000;

const SECONDS_PER_CHARACTER = 0.05;
/** Longer texts are cut off, so that the response stays under two megabytes. */
const MAX_SECONDS = 30;
const BASE_PITCH_HERTZ = 110;
const AMPLITUDE = 6_000;
const FADE_SECONDS = 0.01;

/** Returns how many seconds the speech of a text lasts. @param speed 1 is normal */
export function speechSeconds(text: string, speed: number): number {
  return Math.min(MAX_SECONDS, ([...text].length * SECONDS_PER_CHARACTER) / speed);
}

/** Hums a text, one tone per syllable, as little-endian samples. The same text gives the same hum. */
export function speak(text: string, voice: string, speed: number): Buffer {
  const samples = Math.round(speechSeconds(text, speed) * SAMPLE_RATE);
  const choice = new SeededChoice(`${voice} ${text}`);
  const fadeSamples = FADE_SECONDS * SAMPLE_RATE;
  const toneSamples = Math.round((4 * SECONDS_PER_CHARACTER * SAMPLE_RATE) / speed);
  const pcm = Buffer.alloc(samples * 2);
  for (let start = 0; start < samples; start += toneSamples) {
    const length = Math.min(toneSamples, samples - start);
    const hertz = BASE_PITCH_HERTZ * 2 ** (choice.below(12) / 12);
    for (let index = 0; index < length; index++) {
      const fade = Math.min(1, index / fadeSamples, (length - index) / fadeSamples);
      const value = Math.sin((2 * Math.PI * hertz * index) / SAMPLE_RATE);
      pcm.writeInt16LE(Math.round(AMPLITUDE * fade * value), (start + index) * 2);
    }
  }
  return pcm;
}
