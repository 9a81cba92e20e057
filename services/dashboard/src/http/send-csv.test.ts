import { describe, expect, it } from 'vitest';
import { harmless } from './send-csv.ts';

describe('a cell of a CSV file', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('is no formula: %j', (cell) => {
    expect(harmless(cell)).toBe(`'${cell}`);
  });

  it.each(['sim/chat', '1-1', '', 'a=b', -1, 0.5, null])('stays as it is otherwise: %j', (cell) => {
    expect(harmless(cell)).toBe(cell);
  });
});
