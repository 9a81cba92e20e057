import { type ModelObject, PriceLists } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { CatalogModels } from './allowed-models.ts';
import { ANTHROPIC_VERSION } from './messages-client.ts';
import { ModelAnswers } from './model-answers.ts';
import { modelObjectFixture } from './model-object-fixture.ts';

const catalogOf = (models: ModelObject[]): CatalogModels => ({
  models,
  virtualModels: [],
  upstreams: models.map(({ id }) => ({ id, providerIds: ['acme'] })),
});
const MODELS = catalogOf([
  modelObjectFixture('acme/large', { tier: 'paid' }),
  modelObjectFixture('acme/small'),
]);

const answersOf = (models: CatalogModels) => new ModelAnswers(() => models, new PriceLists([]));

/** A request as Express shows it. */
function asked(query: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const text = new URLSearchParams(query).toString();
  return { url: text === '' ? '/v1/models' : `/v1/models?${text}`, query, headers };
}

const PAGE = { [ANTHROPIC_VERSION]: '2023-06-01' };

it('writes the answer to a question once, however often it is asked', () => {
  const answers = answersOf(MODELS);
  expect(answers.answerTo(asked())).toBe(answers.answerTo(asked()));
  expect(answers.answerTo(asked({ tier: 'paid' }))).toBe(answers.answerTo(asked({ tier: 'paid' })));
  expect(answers.answerTo(asked({}, PAGE))).toBe(answers.answerTo(asked({}, PAGE)));
});

it('gives each question its own answer', () => {
  const answers = answersOf(MODELS);
  const idsOf = ({ body }: { body: Buffer }): string[] =>
    JSON.parse(body.toString()).data.map(({ id }: { id: string }) => id);
  expect(idsOf(answers.answerTo(asked()))).toEqual(['acme/large', 'acme/small']);
  expect(idsOf(answers.answerTo(asked({ tier: 'paid' })))).toEqual(['acme/large']);
  expect(idsOf(answers.answerTo(asked({ q: 'SMALL' })))).toEqual(['acme/small']);
  expect(idsOf(answers.answerTo(asked({ after_id: 'acme/large' }, PAGE)))).toEqual(['acme/small']);
  const questions = [asked(), asked({}, PAGE), asked({ tier: 'paid' }), asked({ tier: 'paid' }, PAGE)];
  expect(new Set(questions.map((question) => answers.answerTo(question).etag)).size).toBe(4);
});

it('keeps no refusal', () => {
  const answers = answersOf(MODELS);
  for (let time = 0; time < 2; time++) {
    expect(() => answers.answerTo(asked({ tier: 'gold' }))).toThrow(/tier/);
  }
});

it('keeps answers of 32 MB at most, however many different questions are asked', () => {
  const long = modelObjectFixture('acme/large', { description: 'x'.repeat(9 * 1024 * 1024) });
  const answers = answersOf(catalogOf([long]));
  const first = answers.answerTo(asked({ q: 'x' }));
  for (const q of ['xx', 'xxx', 'xxxx']) answers.answerTo(asked({ q }));
  expect(answers.answerTo(asked({ q: 'x' }))).not.toBe(first);
});
