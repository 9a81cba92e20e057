import { GatewayError } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { answerBudgetBounds, MAX_ANSWER_BYTES } from './answer-budget.ts';
import { bodyBudgetBounds } from './body-budget.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';
import type { MemoryOwner } from './shared-memory.ts';

const never = new AbortController().signal;

function budget(bounds: Partial<MemoryBudgetBounds> = {}) {
  return new MemoryBudget({
    totalBytes: 100,
    keyBytes: 40,
    accountBytes: 60,
    reserveBytes: 40,
    smallBytes: 5,
    maxWaitMs: 60_000,
    maxWaitingOfKey: 10,
    ...bounds,
    refusal: () => new GatewayError('overloaded', 'no room'),
  });
}

const owner = (keyId: string, accountId = keyId): MemoryOwner => ({ keyId, accountId });

describe('a memory budget', () => {
  it('limits a key to its share, and serves others from the rest', () => {
    const memory = budget();
    expect(memory.open(owner('greedy')).tryTake(40)).toBe(true);
    expect(memory.open(owner('greedy')).tryTake(10)).toBe(false);
    expect(memory.open(owner('other')).tryTake(40)).toBe(true);
    expect(memory.open(owner('third')).tryTake(21)).toBe(false);
    expect(memory.open(owner('third')).tryTake(20)).toBe(true);
  });

  it('limits all keys of an account together to the share of the account', () => {
    const memory = budget();
    expect(memory.open(owner('a', 'account')).tryTake(40)).toBe(true);
    expect(memory.open(owner('b', 'account')).tryTake(21)).toBe(false);
    expect(memory.open(owner('b', 'account')).tryTake(20)).toBe(true);
  });

  it('has a reserve for small claims, and one key gets at most a quarter of it', () => {
    const memory = budget();
    for (const name of ['a', 'b']) expect(memory.open(owner(name)).tryTake(40)).toBe(true);
    expect(memory.open(owner('c')).tryTake(20)).toBe(true);
    expect(memory.open(owner('d')).tryTake(6)).toBe(false);
    const small = () => memory.open(owner('d')).tryTake(5);
    expect([small(), small(), small()]).toEqual([true, true, false]);
    expect(memory.open(owner('e')).tryTake(5)).toBe(true);
  });

  it('is empty after all claims are released, however often', async () => {
    const memory = budget();
    const claims = ['a', 'b', 'c'].map((name) => memory.open(owner(name)));
    for (const claim of claims) {
      expect(claim.tryTake(3)).toBe(true);
      await claim.take(30, never);
    }
    expect(memory.usedBytes).toBe(99);
    for (const claim of [...claims, ...claims]) claim.giveBack();
    expect(memory.usedBytes).toBe(0);
    // A request that has ended gets nothing more.
    expect(claims[0]?.tryTake(1)).toBe(false);
    await expect(claims[0]?.take(10, never)).rejects.toThrow('given back');
    expect(memory.usedBytes).toBe(0);
  });

  it('lets a claim wait, and serves it when memory is released', async () => {
    const memory = budget();
    const first = memory.open(owner('a'));
    await first.take(40, never);
    const second = memory.open(owner('a'));
    const waiting = second.take(30, never);
    expect(memory.waitingClaims).toBe(1);
    first.giveBack();
    await waiting;
    expect(memory.usedBytes).toBe(30);
  });

  it('alternates between waiting keys, however many claims one of them has', async () => {
    const memory = budget({ totalBytes: 40 });
    const held = memory.open(owner('held'));
    await held.take(40, never);
    const served: string[] = [];
    const claims = ['greedy', 'greedy', 'greedy', 'honest'].map(async (name) => {
      const claim = memory.open(owner(name));
      await claim.take(40, never);
      served.push(name);
      setImmediate(() => claim.giveBack());
    });
    held.giveBack();
    await Promise.all(claims);
    expect(served).toEqual(['greedy', 'honest', 'greedy', 'greedy']);
  });

  it('lets no claim overtake the next one, so that a large one is served at all', async () => {
    const memory = budget({ totalBytes: 50 });
    const held = memory.open(owner('a'));
    await held.take(20, never);
    const large = memory.open(owner('b'));
    const waiting = large.take(40, never);
    expect(memory.open(owner('c')).tryTake(20)).toBe(false);
    held.giveBack();
    await waiting;
    expect(memory.open(owner('c')).tryTake(10)).toBe(true);
  });

  it('serves a claim while another key waits for its own share', async () => {
    const memory = budget();
    await memory.open(owner('a')).take(40, never);
    const gone = new AbortController();
    const waiting = memory.open(owner('a')).take(40, gone.signal);
    expect(memory.open(owner('b')).tryTake(40)).toBe(true);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });

  it('refuses a claim after the maximum wait, and at once if waiting cannot help or too many wait', async () => {
    const memory = budget({ maxWaitMs: 200, maxWaitingOfKey: 1 });
    await memory.open(owner('a')).take(40, never);
    await expect(memory.open(owner('b')).take(41, never)).rejects.toMatchObject({ code: 'overloaded' });
    const patient = memory.open(owner('a')).take(10, never);
    const refused = expect(patient).rejects.toMatchObject({ code: 'overloaded' });
    await expect(memory.open(owner('a')).take(10, never)).rejects.toMatchObject({ code: 'overloaded' });
    await refused;
    expect(memory.waitingClaims).toBe(0);
  });

  it('drops a waiting claim when its client leaves', async () => {
    const memory = budget();
    await memory.open(owner('a')).take(40, never);
    const gone = new AbortController();
    const waiting = memory.open(owner('a')).take(10, gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await until(() => memory.waitingClaims === 0);
    expect(memory.usedBytes).toBe(40);
  });
});

const MEBIBYTE = 1024 ** 2;

it.each([128, 512, 1024, 4096])(
  'with %i MiB of memory, bodies take less than a quarter, and one key less than half of that',
  (mebibytes) => {
    const memoryBytes = mebibytes * MEBIBYTE;
    const bounds = bodyBudgetBounds(memoryBytes, 25 * MEBIBYTE);
    expect(bounds.totalBytes + bounds.reserveBytes).toBeLessThan(memoryBytes / 4);
    expect(bounds.keyBytes).toBeGreaterThanOrEqual(25 * MEBIBYTE);
    if (mebibytes >= 512) {
      expect(bounds.keyBytes).toBeLessThan(bounds.totalBytes / 2);
      expect(bounds.accountBytes).toBeLessThanOrEqual(bounds.totalBytes * 0.55);
    }
  },
);

it.each([512, 1024, 4096])(
  'with %i MiB of memory, bodies and responses take about a third, and each key can hold the longest response',
  (mebibytes) => {
    const memoryBytes = mebibytes * MEBIBYTE;
    const answers = answerBudgetBounds(memoryBytes);
    const bodies = bodyBudgetBounds(memoryBytes, 25 * MEBIBYTE);
    const all = [answers, bodies].reduce((sum, each) => sum + each.totalBytes + each.reserveBytes, 0);
    expect(all).toBeLessThan(memoryBytes * 0.35);
    expect(answers.keyBytes).toBeGreaterThanOrEqual(MAX_ANSWER_BYTES);
    expect(answers.keyBytes).toBeLessThan(answers.totalBytes);
  },
);
