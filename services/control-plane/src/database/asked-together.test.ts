import { expect, it } from 'vitest';
import { AskedTogether } from './asked-together.ts';

function recorded() {
  const statements: { questions: string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const together = new AskedTogether<string>((questions) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
    const answer = () => resolve(new Map(questions.map((question) => [question, `${question}!`])));
    statements.push({ questions, answer, fail: reject });
    return promise;
  });
  return { together, statements };
}

it('the first questions are asked at once, later ones together', async () => {
  const { together, statements } = recorded();
  const answers = Promise.all(['a', 'b', 'c', 'd', 'c'].map((question) => together.ask(question)));
  expect(statements.map(({ questions }) => questions)).toEqual([['a'], ['b']]);
  statements[0]?.answer();
  await expect.poll(() => statements.length).toBe(3);
  expect(statements[2]?.questions).toEqual(['c', 'd']);
  // The earlier reply may be outdated.
  const again = together.ask('a');
  statements[1]?.answer();
  await expect.poll(() => statements.length).toBe(4);
  for (const { answer } of statements) answer();
  expect(await answers).toEqual(['a!', 'b!', 'c!', 'd!', 'c!']);
  expect(await again).toBe('a!');
});

it('an error reaches everybody who asked, and later questions still work', async () => {
  const { together, statements } = recorded();
  const first = [together.ask('a'), together.ask('b')];
  const failing = ['c', 'd'].map((question) => together.ask(question));
  for (const { answer } of [...statements]) answer();
  await Promise.all(first);
  await expect.poll(() => statements.length).toBe(3);
  statements[2]?.fail(new Error('no connection'));
  for (const each of failing) await expect(each).rejects.toThrow('no connection');
  const next = together.ask('c');
  await expect.poll(() => statements.length).toBe(4);
  statements[3]?.answer();
  expect(await next).toBe('c!');
});

it('one statement takes at most 500 questions', async () => {
  const { together, statements } = recorded();
  const answers = Array.from({ length: 1_002 }, (_, n) => together.ask(String(n)));
  for (let done = 0; done < 4; done++) {
    await expect.poll(() => statements.length).toBeGreaterThan(done);
    statements[done]?.answer();
  }
  await Promise.all(answers);
  expect(statements.map(({ questions }) => questions.length)).toEqual([1, 1, 500, 500]);
});
