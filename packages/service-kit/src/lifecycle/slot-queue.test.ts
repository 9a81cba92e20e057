import { describe, expect, it } from 'vitest';
import { SlotQueue } from './slot-queue.ts';

describe('work beyond what there is room for', () => {
  it('is held back and has its turn in order', async () => {
    const turns = new SlotQueue({ places: 1, maxWaiting: 10, maxWaitMs: 60_000 });
    expect(await turns.enter()).toBe(true);
    const order: number[] = [];
    const held = [1, 2, 3].map(async (which) => {
      expect(await turns.enter()).toBe(true);
      order.push(which);
      turns.leave();
    });
    turns.leave();
    await Promise.all(held);
    expect(order).toEqual([1, 2, 3]);
    expect([turns.running, turns.waiting]).toEqual([0, 0]);
  });

  it('is refused when too much of it waits, and when it has waited too long', async () => {
    const turns = new SlotQueue({ places: 1, maxWaiting: 1, maxWaitMs: 30 });
    await turns.enter();
    const held = turns.enter();
    expect(await turns.enter()).toBe(false);
    expect(await held).toBe(false);
    expect(turns.waiting).toBe(0);
    turns.leave();
    expect(await turns.enter()).toBe(true);
  });
});
