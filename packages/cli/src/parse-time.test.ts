import { describe, expect, it } from 'vitest';
import { parseTime } from './parse-time.ts';

describe('a time on the command line', () => {
  it('is a date, a moment with its offset, or Unix seconds', () => {
    expect(parseTime('2026-11-30')).toBe(Date.UTC(2026, 10, 30) / 1_000);
    expect(parseTime('2026-11-30T12:00Z')).toBe(Date.UTC(2026, 10, 30, 12) / 1_000);
    expect(parseTime('2026-11-30T12:00:30.5+02:00')).toBe(Date.UTC(2026, 10, 30, 10, 0, 30) / 1_000);
    expect(parseTime('1796000000')).toBe(1_796_000_000);
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '2026-11-30T12:00',
      '-5',
      '1796000000000',
    ]) {
      expect(() => parseTime(text)).toThrow(/must be a date/);
    }
  });
});
