import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { listeningMs } from './listening-clock.ts';
import { PatientTimer, withPatience } from './patience.ts';

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const never = new Promise<never>(() => undefined);

describe('the clock of what a process could listen to', () => {
  it('stands still while the event loop is held up, and never goes back', async () => {
    let before = listeningMs();
    for (let round = 0; round < 5; round++) {
      block(200);
      const now = listeningMs();
      expect(now).toBeGreaterThanOrEqual(before);
      // This is one interval between two looks, and a little more.
      expect(now - before).toBeLessThan(100);
      before = now;
      await wait(1);
    }
  });
});

describe('patience', () => {
  it('ends after its time when nobody answers', async () => {
    const startedAtMs = performance.now();
    await expect(withPatience(never, 60, () => new Error('no answer'))).rejects.toThrow('no answer');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(59);
  });

  it('reads what has arrived while the process was busy, however long that was', async () => {
    const answered = new Promise((resolve) => setTimeout(resolve, 150, 'answered'));
    const answer = withPatience(answered, 100, () => new Error('no answer'));
    for (let round = 0; round < 4; round++) {
      block(150);
      await wait(1);
    }
    expect(await answer).toBe('answered');
  });

  it('goes on while whoever is asked is heard of otherwise, and ends soon after', async () => {
    let isHeard = true;
    const answer = withPatience(never, { quietMs: 20, mostMs: 60_000, isHeard: () => isHeard }, () => {
      return new Error('no answer');
    });
    const outcome = answer.catch((error: Error) => error.message);
    expect(await Promise.race([outcome, wait(200, 'waiting')])).toBe('waiting');
    isHeard = false;
    expect(await outcome).toBe('no answer');
  });

  it('with whom is heard of is bounded, too', async () => {
    const patience = { quietMs: 20, mostMs: 100, isHeard: () => true };
    const startedAtMs = performance.now();
    await expect(withPatience(never, patience, () => new Error('no answer'))).rejects.toThrow('no answer');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(99);
  });

  it('starts anew when it is refreshed, and never ends when it is cleared', async () => {
    let ends = 0;
    const timer = new PatientTimer(100, () => {
      ends += 1;
    });
    const startedAtMs = listeningMs();
    while (listeningMs() - startedAtMs < 250) {
      timer.refresh();
      await wait(10);
    }
    expect(ends).toBe(0);
    timer.clear();
    await wait(150);
    expect(ends).toBe(0);
  });
});
