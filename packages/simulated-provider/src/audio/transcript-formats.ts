import type { Segment, Transcript } from './compose-transcript.ts';

/** The body of response_format `verbose_json`. */
export function verboseBody(transcript: Transcript, language: string, withWords: boolean): object {
  const { text, duration, segments } = transcript;
  return {
    task: 'transcribe',
    language,
    duration,
    text,
    segments: segments.map((segment, id) => ({
      id,
      seek: 0,
      ...segment,
      tokens: [],
      temperature: 0,
      avg_logprob: -0.2,
      compression_ratio: 1.4,
      no_speech_prob: 0.01,
    })),
    ...(withWords ? { words: segments.flatMap(wordsOf) } : {}),
  };
}

/** The body of response_format `diarized_json`: two speakers take turns. */
export function diarizedBody({ duration, segments, text }: Transcript): object {
  return {
    task: 'transcribe',
    duration,
    text,
    segments: segments.map((segment, index) => ({
      type: 'transcript.text.segment',
      id: `seg_${index}`,
      speaker: index % 2 === 0 ? 'A' : 'B',
      ...segment,
    })),
  };
}

/** Spreads the words of a sentence evenly over its time. */
function wordsOf({ text, start, end }: Segment): object[] {
  const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const each = (end - start) / words.length;
  return words.map((word, index) => ({ word, start: start + each * index, end: start + each * (index + 1) }));
}

/** SubRip: cues have numbers, and a comma precedes the milliseconds. */
export function toSrt({ segments }: Transcript): string {
  return segments.map((segment, index) => `${index + 1}\n${cue(segment, ',')}`).join('');
}

/** WebVTT: the file has a heading, and a point precedes the milliseconds. */
export function toVtt({ segments }: Transcript): string {
  return `WEBVTT\n\n${segments.map((segment) => cue(segment, '.')).join('')}`;
}

function cue({ start, end, text }: Segment, separator: string): string {
  return `${clock(start, separator)} --> ${clock(end, separator)}\n${text}\n\n`;
}

function clock(seconds: number, separator: string): string {
  return new Date(Math.round(seconds * 1000)).toISOString().slice(11, -1).replace('.', separator);
}
