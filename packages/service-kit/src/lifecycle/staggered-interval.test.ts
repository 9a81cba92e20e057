import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StaggeredInterval } from './staggered-interval.ts';

describe('work that is done every so often', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is done once a round for each of thousands of items, spread over the round', () => {
    const done: number[][] = [];
    const interval = new StaggeredInterval<number>(1_000, (items) => done.push(items));
    for (let item = 0; item < 9_000; item++) interval.add(item);
    interval.start();
    vi.advanceTimersByTime(1_000);
    expect(done.flat().sort((left, right) => left - right)).toEqual(
      Array.from({ length: 9_000 }, (_, item) => item),
    );
    expect(Math.max(...done.map(({ length }) => length))).toBe(180);
    vi.advanceTimersByTime(1_000);
    expect(done.flat()).toHaveLength(18_000);
    interval.stop();
    vi.advanceTimersByTime(1_000);
    expect(done.flat()).toHaveLength(18_000);
  });

  it('is not done any more for an item that is over', () => {
    const done: string[] = [];
    const interval = new StaggeredInterval<string>(100, (items) => done.push(...items));
    const end = interval.add('ended');
    interval.add('running');
    expect([end(), end()]).toEqual([true, false]);
    interval.start();
    vi.advanceTimersByTime(200);
    interval.stop();
    expect(done).toEqual(['running', 'running']);
  });
});
