import type { Transcript } from './compose-transcript.ts';

/** SubRip: the cues are numbered, and a comma stands before the milliseconds. */
export function toSrt({ segments }: Transcript): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n\n`,
    )
    .join('');
}

/** WebVTT: it begins with a heading, and a point stands before the milliseconds. */
export function toVtt({ segments }: Transcript): string {
  const cues = segments.map(
    ({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

function clock(seconds: number, separator: string): string {
  const milliseconds = Math.round(seconds * 1000);
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60];
  const whole = [hours, minutes, Math.floor(milliseconds / 1000) % 60];
  const text = whole.map((part) => String(part).padStart(2, '0')).join(':');
  return `${text}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
