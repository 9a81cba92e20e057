import { expect, it } from 'vitest';
import { BatchedLookup } from './batched-lookup.ts';

function recorded() {
  const statements: { keys: string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const lookup = new BatchedLookup<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
    const answer = () => resolve(new Map(keys.map((key) => [key, `${key}!`])));
    statements.push({ keys, answer, fail: reject });
    return promise;
  });
  return { lookup, statements };
}

it('the first lookups run at once, later ones together', async () => {
  const { lookup, statements } = recorded();
  const results = Promise.all(['a', 'b', 'c', 'd', 'c'].map((key) => lookup.find(key)));
  expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
  statements[0]?.answer();
  await expect.poll(() => statements.length).toBe(3);
  expect(statements[2]?.keys).toEqual(['c', 'd']);
  // The earlier reply may be outdated.
  const again = lookup.find('a');
  statements[1]?.answer();
  await expect.poll(() => statements.length).toBe(4);
  for (const { answer } of statements) answer();
  expect(await results).toEqual(['a!', 'b!', 'c!', 'd!', 'c!']);
  expect(await again).toBe('a!');
});

it('an error reaches every waiting lookup, and later ones still work', async () => {
  const { lookup, statements } = recorded();
  const first = [lookup.find('a'), lookup.find('b')];
  const failing = ['c', 'd'].map((key) => lookup.find(key));
  for (const { answer } of [...statements]) answer();
  await Promise.all(first);
  await expect.poll(() => statements.length).toBe(3);
  statements[2]?.fail(new Error('no connection'));
  for (const each of failing) await expect(each).rejects.toThrow('no connection');
  const next = lookup.find('c');
  await expect.poll(() => statements.length).toBe(4);
  statements[3]?.answer();
  expect(await next).toBe('c!');
});

it('one statement has at most 500 keys', async () => {
  const { lookup, statements } = recorded();
  const answers = Array.from({ length: 1_002 }, (_, n) => lookup.find(String(n)));
  for (let done = 0; done < 4; done++) {
    await expect.poll(() => statements.length).toBeGreaterThan(done);
    statements[done]?.answer();
  }
  await Promise.all(answers);
  expect(statements.map(({ keys }) => keys.length)).toEqual([1, 1, 500, 500]);
});
