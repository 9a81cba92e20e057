import { expect, it } from 'vitest';
import { ModelAnswers } from './model-answers.ts';
import { modelObjectFixture } from './model-object-fixture.ts';

const MODELS = [modelObjectFixture('acme/large', { tier: 'paid' }), modelObjectFixture('acme/small')];
const PAGE = { limit: 20, after_id: undefined, before_id: undefined };

it('writes the answer to a question once, however often it is asked', () => {
  const answers = new ModelAnswers(MODELS);
  expect(answers.list({ tier: 'paid' })).toBe(answers.list({ tier: 'paid' }));
  expect(answers.list({}, PAGE)).toBe(answers.list({}, { ...PAGE }));
});

it('gives each question its own answer', () => {
  const answers = new ModelAnswers(MODELS);
  const idsOf = ({ body }: { body: Buffer }): string[] =>
    JSON.parse(body.toString()).data.map(({ id }: { id: string }) => id);
  expect(idsOf(answers.list({}))).toEqual(['acme/large', 'acme/small']);
  expect(idsOf(answers.list({ tier: 'paid' }))).toEqual(['acme/large']);
  expect(idsOf(answers.list({ q: 'SMALL' }))).toEqual(['acme/small']);
  expect(idsOf(answers.list({}, { ...PAGE, after_id: 'acme/large' }))).toEqual(['acme/small']);
  const tags = [{}, { tier: 'paid' }, { q: 'SMALL' }] as const;
  expect(new Set(tags.map((query) => answers.list(query).etag)).size).toBe(3);
});

it('keeps answers of 32 MB at most, however many different questions are asked', () => {
  const long = modelObjectFixture('acme/large', { description: 'x'.repeat(9 * 1024 * 1024) });
  const answers = new ModelAnswers([long]);
  const first = answers.list({ q: 'x' });
  for (const q of ['xx', 'xxx', 'xxxx']) answers.list({ q });
  expect(answers.list({ q: 'x' })).not.toBe(first);
});
