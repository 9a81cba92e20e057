import { describe, expect, it } from 'vitest';
import { shortenUsd, usd } from './usd.ts';

describe('an amount of money', () => {
  it('is exact, and short for people without losing anything', () => {
    expect(usd('5000000000')).toBe('5.000000000');
    const short = ['5000000000', '1', '150000000', '1234000000', '100000000000', '0'].map((nanoUsd) =>
      shortenUsd(usd(nanoUsd)),
    );
    expect(short).toEqual(['5.00', '0.000000001', '0.15', '1.234', '100.00', '0.00']);
  });
});
