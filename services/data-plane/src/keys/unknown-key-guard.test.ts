import { describe, expect, it } from 'vitest';
import { UnknownKeyGuard } from './unknown-key-guard.ts';

describe('look-ups of unknown keys', () => {
  it('are capped per address and come back with time', () => {
    let nowMs = 0;
    const guard = new UnknownKeyGuard(() => nowMs);
    for (let count = 0; count < 300; count++) {
      expect(guard.begin('10.0.0.1')).toBe(true);
      guard.end('10.0.0.1', 'unknown');
    }
    expect(guard.begin('10.0.0.1')).toBe(false);
    expect(guard.begin('10.0.0.2')).toBe(true);
    nowMs = 100;
    expect(guard.begin('10.0.0.1')).toBe(true);
  });

  it('cost nothing when the key is real, and run at most 64 at once', () => {
    const guard = new UnknownKeyGuard(() => 0);
    for (let count = 0; count < 1_000; count++) {
      expect(guard.begin('10.0.0.1')).toBe(true);
      guard.end('10.0.0.1', 'found');
    }
    for (let count = 0; count < 64; count++) expect(guard.begin('10.0.0.1')).toBe(true);
    expect(guard.begin('10.0.0.1')).toBe(false);
    guard.end('10.0.0.1', 'failed');
    expect(guard.begin('10.0.0.1')).toBe(true);
  });
});
