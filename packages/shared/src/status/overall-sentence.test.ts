import { describe, expect, it } from 'vitest';
import { overallSentence } from './overall-sentence.ts';
import { utcMinute } from './utc-minute.ts';

const trouble = (name: string, sentence: string | null = 'Failing since 10:02 UTC.') => ({ name, sentence });

describe('the sentence about everything', () => {
  it('claims no more than that nothing is known to be wrong', () => {
    expect(overallSentence([])).toBe('Nothing is known to be wrong.');
  });

  it('names who is not well, what is wrong and since when', () => {
    expect(overallSentence([trouble('Acme AI'), trouble('acme/small', null)])).toBe(
      'Acme AI: failing since 10:02 UTC; acme/small: not operational.',
    );
  });

  it('stays one sentence however much is wrong', () => {
    expect(overallSentence(['a', 'b', 'c', 'd', 'e'].map((name) => trouble(name)))).toBe(
      'a: failing since 10:02 UTC; b: failing since 10:02 UTC; c: failing since 10:02 UTC; and 2 more.',
    );
  });
});

describe('a moment in a sentence', () => {
  it('has a date only if it is not today', () => {
    const nowMs = Date.parse('2026-11-21T10:07:59Z');
    expect(utcMinute(Date.parse('2026-11-21T10:02:59Z'), nowMs)).toBe('10:02 UTC');
    expect(utcMinute(Date.parse('2026-11-20T23:59:00Z'), nowMs)).toBe('2026-11-20 23:59 UTC');
  });
});
