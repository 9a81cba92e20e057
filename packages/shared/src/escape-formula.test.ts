import { describe, expect, it } from 'vitest';
import { escapeFormula } from './escape-formula.ts';

describe('a cell of a CSV file', () => {
  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1'])('is escaped if it is a formula: %j', (cell) => {
    expect(escapeFormula(cell)).toBe(`'${cell}`);
  });

  it.each(['sim/chat', '1-1', '-1.50', '', 'a=b', -1, 0.5, null])(
    'stays unchanged if it is no formula: %j',
    (cell) => {
      expect(escapeFormula(cell)).toBe(cell);
    },
  );
});
