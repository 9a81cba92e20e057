import { expect, test } from 'vitest';
import {
  formatDate,
  formatDateTime,
  formatRecent,
  formatRelative,
  formatUtc,
  formatUtcDay,
} from './format-time.ts';

const at = new Date(2026, 10, 21, 0, 5, 9).getTime();

test('a time is formatted in the time zone of the reader, midnight as 00', () => {
  expect(formatDateTime(at)).toBe('Nov 21, 2026, 00:05:09');
  expect(formatRecent(at)).toBe('Nov 21, 00:05:09');
  expect(formatDate(at)).toBe('Nov 21, 2026');
});

test.each([
  [-3, 'just now'],
  [4, 'just now'],
  [-42, '42 seconds ago'],
  [-119, '1 minute ago'],
  [-7_200, '2 hours ago'],
  [-86_400 * 3, '3 days ago'],
  [-86_400 * 70, '2 months ago'],
  [86_400 * 9, 'in 9 days'],
])('%d seconds from now reads %s', (seconds, text) =>
  expect(formatRelative(at + seconds * 1000, at)).toBe(text),
);

test('a time in UTC says so', () => {
  expect(formatUtc(Date.UTC(2026, 10, 21, 0, 5, 9))).toBe('Nov 21, 2026, 00:05:09 UTC');
});

test('a day of a billing month is formatted in UTC in every time zone', () => {
  expect(formatUtcDay(Date.UTC(2026, 11, 1))).toBe('Dec 1 (UTC)');
  expect(formatUtcDay(Date.UTC(2026, 11, 1) - 1)).toBe('Nov 30 (UTC)');
});
