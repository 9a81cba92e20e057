import { createHash } from 'node:crypto';
import { SeededChoice } from '../text/seeded-choice.ts';

const SENTENCES: readonly string[] = [
  'Good morning everyone, and thank you for joining on such short notice.',
  'Let us begin with a quick look at where we stand today.',
  'The first part went better than we had expected.',
  'There were two small delays, and both have been resolved.',
  'I would like to hear what the others think before we decide.',
  'As you can see on the next page, the numbers are going in the right direction.',
  'We should keep the plan simple and review it again next week.',
  'If there are any questions, this would be a good time to ask them.',
  'Somebody will send the notes around after the meeting.',
  'The weather has been kind to us, so the work outside is nearly done.',
  'That was the part I was least certain about.',
  'Thank you all, and have a good rest of the day.',
];
const CHARACTERS_PER_SECOND = 14;
const MAX_SENTENCES = 60;

/** A sentence and its time, in seconds. */
export interface Segment {
  text: string;
  start: number;
  end: number;
}

export interface Transcript {
  text: string;
  /** In seconds, rounded to milliseconds. */
  duration: number;
  segments: Segment[];
}

/** Composes a transcript that fits the duration. The same bytes always get the same one. */
export function composeTranscript(file: Buffer, duration: number): Transcript {
  const choice = new SeededChoice(createHash('sha256').update(file).digest('hex'));
  const sentences: string[] = [choice.pick(SENTENCES)];
  let characters = sentences.join(' ').length;
  while (characters < duration * CHARACTERS_PER_SECOND && sentences.length < MAX_SENTENCES) {
    const next = choice.pick(SENTENCES.filter((sentence) => sentence !== sentences.at(-1)));
    sentences.push(next);
    characters += next.length + 1;
  }
  return transcriptOf(sentences, duration);
}

/** Spreads sentences over the duration by their length. */
export function transcriptOf(sentences: readonly string[], seconds: number): Transcript {
  const duration = toMilliseconds(seconds);
  const total = Math.max(1, sentences.join('').length);
  let characters = 0;
  const segments = sentences.map((text) => {
    const start = toMilliseconds((duration * characters) / total);
    characters += text.length;
    return { text, start, end: toMilliseconds((duration * characters) / total) };
  });
  return { text: sentences.join(' '), duration, segments };
}

function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
