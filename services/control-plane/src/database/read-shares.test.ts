import { expect, it } from 'vitest';
import { ReadShares } from './read-shares.ts';

const never = new AbortController().signal;

function blockedReads() {
  const shares = new ReadShares(6);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const read = (account: string, signal = never) =>
    shares.run(account, signal, async () => {
      started.push(account);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  return { started, ends, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('an account takes at most half of the connections, and others are served meanwhile', async () => {
  const { started, ends, read } = blockedReads();
  const greedy = Array.from({ length: 50 }, () => read('greedy'));
  const honest = read('honest');
  expect(started).toEqual(['greedy', 'greedy', 'greedy', 'honest']);
  for (let ended = 0; ended < 51; ended++) {
    ends[ended]?.();
    await nextTurn();
  }
  await Promise.all([...greedy, honest]);
  expect(started).toHaveLength(51);
});

it('a waiting read whose caller has left does not run, and lets the next one run', async () => {
  const { started, ends, read } = blockedReads();
  const running = [read('a'), read('a'), read('a')];
  const gone = new AbortController();
  const left = read('a', gone.signal);
  const last = read('a');
  gone.abort(new Error('gone'));
  ends[0]?.();
  await expect(left).rejects.toThrow('gone');
  await nextTurn();
  expect(started).toHaveLength(4);
  for (const end of ends) end();
  await Promise.all([...running, last]);
});

it('a failed read lets the next one run', async () => {
  const shares = new ReadShares(2);
  const fail = () => shares.run('a', never, () => Promise.reject(new Error('failed')));
  await expect(fail()).rejects.toThrow('failed');
  await expect(fail()).rejects.toThrow('failed');
});
