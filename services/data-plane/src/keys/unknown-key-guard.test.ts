import { describe, expect, it } from 'vitest';
import { UnknownKeyGuard } from './unknown-key-guard.ts';

describe('look-ups of unknown keys', () => {
  it('are capped per address and come back with time', () => {
    let nowMs = 0;
    const guard = new UnknownKeyGuard(() => nowMs);
    for (let count = 0; count < 300; count++) {
      expect(guard.begin('10.0.0.1')).toBe('allowed');
      guard.end('10.0.0.1', 'unknown');
    }
    expect(guard.begin('10.0.0.1')).toBe('spent');
    expect(guard.begin('10.0.0.2')).toBe('allowed');
    nowMs = 100;
    expect(guard.begin('10.0.0.1')).toBe('allowed');
  });

  it('cost nothing when the key is real, and run at most 64 at once', () => {
    const guard = new UnknownKeyGuard(() => 0);
    for (let count = 0; count < 1_000; count++) {
      expect(guard.begin('10.0.0.1')).toBe('allowed');
      guard.end('10.0.0.1', 'found');
    }
    for (let count = 0; count < 64; count++) expect(guard.begin('10.0.0.1')).toBe('allowed');
    expect(guard.begin('10.0.0.1')).toBe('busy');
    guard.end('10.0.0.1', 'failed');
    expect(guard.begin('10.0.0.1')).toBe('allowed');
  });

  it('are counted together for a whole IPv6 network', () => {
    const guard = new UnknownKeyGuard(() => 0);
    for (let count = 0; count < 300; count++) {
      const address = `2001:db8:1:2::${count.toString(16)}`;
      expect(guard.begin(address)).toBe('allowed');
      guard.end(address, 'unknown');
    }
    expect(guard.begin('2001:db8:1:2:ffff::1')).toBe('spent');
    expect(guard.begin('2001:db8:1:3::1')).toBe('allowed');
  });
});
