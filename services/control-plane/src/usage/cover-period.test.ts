import { expect, test } from 'vitest';
import type { Piece } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';

const at = (text: string) => Date.parse(`${text}Z`) / 1_000;
const read = (pieces: Piece[]) =>
  pieces.map(
    ({ width, start, end }) =>
      `${(end - start) / width} x ${width} from ${new Date(start * 1_000).toISOString().slice(0, 16)}`,
  );

test('a whole month is covered by its days', () => {
  expect(read(coverPeriod({ start: at('2026-03-01T00:00'), end: at('2026-04-01T00:00') }))).toEqual([
    '31 x 86400 from 2026-03-01T00:00',
  ]);
});

test('the edges of a period are covered by hours, and their edges by minutes', () => {
  expect(read(coverPeriod({ start: at('2026-03-01T21:58'), end: at('2026-03-04T02:03') }))).toEqual([
    '2 x 60 from 2026-03-01T21:58',
    '2 x 3600 from 2026-03-01T22:00',
    '2 x 86400 from 2026-03-02T00:00',
    '2 x 3600 from 2026-03-04T00:00',
    '3 x 60 from 2026-03-04T02:00',
  ]);
});

test('a period within an hour, across two hours or of no length needs no extra pieces', () => {
  expect(read(coverPeriod({ start: at('2026-03-01T10:05'), end: at('2026-03-01T10:07') }))).toEqual([
    '2 x 60 from 2026-03-01T10:05',
  ]);
  expect(read(coverPeriod({ start: at('2026-03-01T10:59'), end: at('2026-03-01T11:01') }))).toEqual([
    '2 x 60 from 2026-03-01T10:59',
  ]);
  expect(coverPeriod({ start: 60, end: 60 })).toEqual([]);
});

test('no piece is wider than allowed', () => {
  const day = { start: at('2026-03-01T00:00'), end: at('2026-03-02T00:00') };
  expect(read(coverPeriod(day, 3_600))).toEqual(['24 x 3600 from 2026-03-01T00:00']);
  expect(read(coverPeriod(day, 60))).toEqual(['1440 x 60 from 2026-03-01T00:00']);
});

test('pieces follow each other from start to end, and begin at multiples of their width', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const start = Math.floor(Math.random() * 100_000) * 60;
    const end = start + Math.floor(Math.random() * 10_000) * 60;
    const pieces = coverPeriod({ start, end });
    let reached = start;
    for (const piece of pieces) {
      expect(piece.start).toBe(reached);
      expect(piece.start % piece.width).toBe(0);
      expect(piece.end % piece.width).toBe(0);
      reached = piece.end;
    }
    expect(reached).toBe(end);
    expect(pieces.length).toBeLessThanOrEqual(5);
  }
});
