import { expect, test } from 'vitest';
import { formatDuration } from './format-duration.ts';

test.each([
  [0, '0 ms'],
  [0.42, '0.4 ms'],
  [839.6, '840 ms'],
  [999.7, '1.00 s'],
  [1_843, '1.84 s'],
  [9_996, '10.0 s'],
  [12_345, '12.3 s'],
  [59_970, '1 min'],
  [125_000, '2 min 5 s'],
])('%d ms reads %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
