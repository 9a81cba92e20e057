import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { LinkedList } from './linked-list.ts';

it('keeps items in order while others leave at its ends and between them', () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((item) => list.add(item));
  if (!(a && b && c && d)) throw new Error('four entries');
  expect(list.items()).toEqual(['a', 'b', 'c', 'd']);
  expect(list.remove(b)).toBe(true);
  expect(list.remove(b)).toBe(false);
  expect([list.size, list.items()]).toEqual([3, ['a', 'c', 'd']]);
  list.remove(d);
  list.remove(a);
  expect(list.items()).toEqual(['c']);
  list.add('e');
  list.remove(c);
  expect([list.size, list.items()]).toEqual([1, ['e']]);
});

it('keeps nothing alive that was removed, also where its memory is of the old generation', () => {
  setFlagsFromString('--expose-gc');
  const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');
  const list = new LinkedList<number[]>();
  list.add([]);
  // What survives this is of the old generation.
  collect();
  const usedBefore = process.memoryUsage().heapUsed;
  let previous = list.add([]);
  for (let count = 0; count < 20_000; count++) {
    const entry = list.add(new Array<number>(100).fill(count));
    list.remove(previous);
    previous = entry;
    if (count % 1_000 === 0) collect({ type: 'minor' });
  }
  // The removed items had 16 MB. With a Set instead, 10 MB of them are still there.
  expect(process.memoryUsage().heapUsed - usedBefore).toBeLessThan(2_000_000);
});
