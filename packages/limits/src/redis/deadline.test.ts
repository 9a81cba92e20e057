import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RedisTimeoutError, withDeadline } from './deadline.ts';

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('a deadline', () => {
  it('ends a call that is not answered', async () => {
    const startedAtMs = performance.now();
    await expect(withDeadline(new Promise(() => {}), 75)).rejects.toThrow(RedisTimeoutError);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(70);
  });

  it('does not count the time in which this process was too busy to listen', async () => {
    const call = withDeadline(wait(60, 'answered'), 75);
    for (let round = 0; round < 4; round++) {
      block(100);
      await wait(1);
    }
    expect(await call).toBe('answered');
  });

  it('passes failures on, and knows the time-outs of the library as its own', async () => {
    await expect(withDeadline(Promise.reject(new Error('READONLY')), 75)).rejects.toThrow('READONLY');
    await expect(withDeadline(Promise.reject(new Error('Command timed out')), 75)).rejects.toThrow(
      RedisTimeoutError,
    );
  });
});
