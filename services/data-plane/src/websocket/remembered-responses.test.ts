import { describe, expect, it } from 'vitest';
import { RememberedResponses } from './remembered-responses.ts';

const MIB = 1024 * 1024;
/** 64 MiB of memory: 2 MiB for all connections. */
const shared = () => new RememberedResponses(64 * MIB);
const response = (id: string, bytes: number) => ({
  id,
  input: Buffer.alloc(bytes - 2),
  output: Buffer.from('[]'),
});

describe('the responses that connections keep', () => {
  it('a response replaces the one before it on its stream, and other streams keep theirs', () => {
    const remembered = shared();
    const memory = remembered.open('account_1');
    memory.remember(undefined, response('resp_1', 100));
    memory.remember('critic', response('resp_2', 200));
    memory.remember(undefined, response('resp_3', 300));
    expect(['resp_1', 'resp_2', 'resp_3'].map((id) => memory.find(id)?.id)).toEqual([
      undefined,
      'resp_2',
      'resp_3',
    ]);
    expect([remembered.bytes, memory.hasLost]).toEqual([500, false]);
    memory.close();
    expect(remembered.bytes).toBe(0);
  });

  it('an account that fills the memory displaces only its own responses', () => {
    const remembered = shared();
    const modest = remembered.open('account_1');
    modest.remember(undefined, response('resp_modest', MIB / 2));
    const greedy = Array.from({ length: 8 }, (_, index) => {
      const memory = remembered.open('account_2');
      memory.remember(undefined, response(`resp_${index}`, MIB / 2));
      return memory;
    });
    expect(remembered.bytes).toBeLessThanOrEqual(2 * MIB);
    expect(modest.find('resp_modest')).toBeDefined();
    expect(greedy.map(({ hasLost }) => hasLost)).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('many small responses make room for large ones at once', () => {
    const large = response('resp_large', 8 * MIB - 40_000);
    const measure = () => {
      const remembered = new RememberedResponses(512 * MIB);
      const connections = Array.from({ length: 256 }, () => remembered.open('account_1'));
      for (const memory of connections)
        for (let lane = 0; lane < 32; lane++) memory.remember(`s${lane}`, response(`resp_${lane}`, 1_000));
      const beginAtMs = performance.now();
      for (const memory of connections.slice(0, 2)) memory.remember(undefined, large);
      const durationMs = performance.now() - beginAtMs;
      expect(remembered.bytes).toBeLessThanOrEqual(16 * MIB);
      for (const memory of connections) memory.close();
      expect(remembered.bytes).toBe(0);
      return durationMs;
    };
    // Other processes may interrupt one of them.
    expect(Math.min(measure(), measure(), measure())).toBeLessThan(100);
  });

  it('a connection keeps no more than 8 MiB and 32 streams, the latest ones', () => {
    const remembered = new RememberedResponses(4_096 * MIB);
    const memory = remembered.open('account_1');
    for (let index = 0; index < 40; index++) memory.remember(`s${index}`, response(`resp_${index}`, 100));
    expect(remembered.bytes).toBe(3_200);
    expect(memory.find('resp_39')).toBeDefined();
    expect(memory.find('resp_7')).toBeUndefined();
    memory.remember('large', response('resp_large', 8 * MIB));
    expect(memory.find('resp_large')).toBeDefined();
    memory.remember('large', response('resp_larger', 8 * MIB + 1));
    expect([remembered.bytes, memory.hasLost]).toEqual([0, true]);
  });
});
