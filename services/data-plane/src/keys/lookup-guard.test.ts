import { describe, expect, it } from 'vitest';
import { LookupGuard, UNKNOWN_KEYS } from './lookup-guard.ts';

describe('lookups of keys', () => {
  it('of unknown keys are limited per address, and the budget refills with time', async () => {
    let nowMs = 0;
    const guard = new LookupGuard(UNKNOWN_KEYS, () => nowMs);
    for (let count = 0; count < 300; count++) {
      expect(await guard.begin('10.0.0.1')).toBe('allowed');
      guard.end('10.0.0.1', 'unknown');
    }
    expect(await guard.begin('10.0.0.1')).toBe('spent');
    expect(await guard.begin('10.0.0.2')).toBe('allowed');
    nowMs = 100;
    expect(await guard.begin('10.0.0.1')).toBe('allowed');
  });

  it('of real keys use no budget; at most 64 run at once, and a bounded number waits', async () => {
    const guard = new LookupGuard(UNKNOWN_KEYS, () => 0);
    for (let count = 0; count < 1_000; count++) {
      expect(await guard.begin('10.0.0.1')).toBe('allowed');
      guard.end('10.0.0.1', 'found');
    }
    for (let count = 0; count < 64; count++) expect(await guard.begin('10.0.0.1')).toBe('allowed');
    const held = Array.from({ length: 512 }, () => guard.begin('10.0.0.1'));
    expect(await guard.begin('10.0.0.1')).toBe('busy');
    expect(await guard.begin('10.0.0.2')).toBe('allowed');
    guard.end('10.0.0.1', 'failed');
    expect(await held[0]).toBe('allowed');
  });

  it('waiting ones are refused when earlier ones have used up the budget', async () => {
    const guard = new LookupGuard(UNKNOWN_KEYS, () => 0);
    for (let count = 0; count < 64; count++) expect(await guard.begin('10.0.0.1')).toBe('allowed');
    const held = Array.from({ length: 300 }, () => guard.begin('10.0.0.1'));
    const answers: string[] = [];
    for (const answer of held) {
      guard.end('10.0.0.1', 'unknown');
      answers.push(await answer);
    }
    expect(new Set(answers)).toEqual(new Set(['allowed', 'spent']));
  });

  it('are counted together for a whole IPv6 network', async () => {
    const guard = new LookupGuard(UNKNOWN_KEYS, () => 0);
    for (let count = 0; count < 300; count++) {
      const address = `2001:db8:1:2::${count.toString(16)}`;
      expect(await guard.begin(address)).toBe('allowed');
      guard.end(address, 'unknown');
    }
    expect(await guard.begin('2001:db8:1:2:ffff::1')).toBe('spent');
    expect(await guard.begin('2001:db8:1:3::1')).toBe('allowed');
  });
});
