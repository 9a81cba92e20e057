import { describe, expect, it } from 'vitest';
import { messagesModels, parsePageQuery } from './messages-models.ts';
import { modelObjectFixture } from './model-object-fixture.ts';

const models = [
  ...['a/1', 'a/2', 'b/1', 'b/2', 'c/1'].map((id) => modelObjectFixture(id, { created: 1_700_000_000 })),
  modelObjectFixture('d/embed', { capability: 'embeddings' }),
];
const page = (query: Record<string, string>) => messagesModels(models, parsePageQuery(query));
const ids = (query: Record<string, string>) => page(query).data.map(({ id }) => id);

describe('models for clients of Anthropic', () => {
  it('are those that chat, in its form', () => {
    expect(page({})).toEqual({
      data: expect.any(Array),
      has_more: false,
      first_id: 'a/1',
      last_id: 'c/1',
    });
    expect(page({}).data[0]).toEqual({
      type: 'model',
      id: 'a/1',
      display_name: 'A/1',
      created_at: '2023-11-14T22:13:20.000Z',
    });
    expect(ids({})).toEqual(['a/1', 'a/2', 'b/1', 'b/2', 'c/1']);
  });

  it('come in pages, forward and backward, each model once', () => {
    expect(page({ limit: '2' })).toMatchObject({ has_more: true, first_id: 'a/1', last_id: 'a/2' });
    expect(ids({ limit: '2', after_id: 'a/2' })).toEqual(['b/1', 'b/2']);
    expect(page({ limit: '2', after_id: 'b/2' })).toMatchObject({ has_more: false, last_id: 'c/1' });
    expect(page({ limit: '2', before_id: 'b/2' })).toMatchObject({ has_more: true, first_id: 'a/2' });
    expect(page({ limit: '2', before_id: 'a/2' })).toMatchObject({ has_more: false, first_id: 'a/1' });
    expect(page({ after_id: 'c/1' })).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  it('go on behind a model that is not there any more', () => {
    expect(ids({ after_id: 'b/0' })).toEqual(['b/1', 'b/2', 'c/1']);
  });

  it.each([
    ['limit', { limit: '0' }],
    ['limit', { limit: '1001' }],
    ['limit', { limit: 'ten' }],
    ['limit', { limit: '' }],
    ['before_id', { after_id: 'a/1', before_id: 'c/1' }],
  ])('are refused with a wrong %s: %j', (param, query) => {
    expect(() => parsePageQuery(query)).toThrow(expect.objectContaining({ status: 400, param }));
  });

  it('are twenty on a page unless the query says otherwise, a thousand at most', () => {
    const many = Array.from({ length: 1_200 }, (_, index) => modelObjectFixture(`m/${index + 1_000}`));
    expect(messagesModels(many, parsePageQuery({})).data).toHaveLength(20);
    expect(messagesModels(many, parsePageQuery({ limit: '1000' })).data).toHaveLength(1_000);
  });
});
