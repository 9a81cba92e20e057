import { describe, expect, it } from 'vitest';
import { composeTranscript, transcriptOf } from './compose-transcript.ts';
import { toSrt, toVtt } from './transcript-formats.ts';

const transcript = transcriptOf(['One.', 'Three four.'], 3_723.5);

describe('subtitles', () => {
  it('in SubRip are numbered, with a comma before the milliseconds', () => {
    expect(toSrt(transcript)).toBe(
      '1\n00:00:00,000 --> 00:16:32,933\nOne.\n\n2\n00:16:32,933 --> 01:02:03,500\nThree four.\n\n',
    );
  });

  it('in WebVTT have a heading, and a point before the milliseconds', () => {
    expect(toVtt(transcript)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:16:32.933\nOne.\n\n00:16:32.933 --> 01:02:03.500\nThree four.\n\n',
    );
  });
});

describe('a transcript', () => {
  it('is longer for a longer recording, within bounds, and the same for the same bytes', () => {
    const file = Buffer.from('some recording');
    const short = composeTranscript(file, 2);
    expect(composeTranscript(file, 2)).toEqual(short);
    expect(composeTranscript(file, 60).text.length).toBeGreaterThan(short.text.length * 3);
    expect(composeTranscript(file, 1e9).text.length).toBeLessThan(10_000);
    expect(composeTranscript(Buffer.alloc(0), 0).text).not.toBe('');
  });

  it('has segments that fill the whole time', () => {
    const { duration, segments, text } = composeTranscript(Buffer.from('x'), 12.3456);
    expect(duration).toBe(12.346);
    expect(segments[0]?.start).toBe(0);
    expect(segments.at(-1)?.end).toBe(12.346);
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text);
  });
});
