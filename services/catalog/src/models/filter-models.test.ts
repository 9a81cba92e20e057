import { GatewayError, type ModelObject } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { filterModels, parseModelsQuery } from './filter-models.ts';
import { modelObjectFixture } from './model-object-fixture.ts';

const model = (id: string, capability: ModelObject['capability'], tier: ModelObject['tier']) =>
  modelObjectFixture(id, { capability, tier });

const models = [
  model('a/chat', 'chat', 'free'),
  model('a/embed', 'embeddings', 'paid'),
  { ...model('b/chat', 'chat', 'paid'), aliases: ['gpt-4o'] },
];
const ids = (query: Record<string, string>) =>
  filterModels(models, parseModelsQuery(query)).map(({ id }) => id);

describe('filtering models', () => {
  it('shows what matches every part of the query', () => {
    expect(ids({})).toEqual(['a/chat', 'a/embed', 'b/chat']);
    expect(ids({ capability: 'chat' })).toEqual(['a/chat', 'b/chat']);
    expect(ids({ provider: 'a', tier: 'paid' })).toEqual(['a/embed']);
    expect(ids({ q: 'GPT' })).toEqual(['b/chat']);
    expect(ids({ q: 'CHAT', tier: 'free', unknown: 'x' })).toEqual(['a/chat']);
  });

  it('names a parameter whose value does not exist', () => {
    expect(() => parseModelsQuery({ tier: 'cheap' })).toThrow(GatewayError);
    expect(() => parseModelsQuery({ capability: 'dance' })).toThrow(
      expect.objectContaining({ param: 'capability', status: 400 }),
    );
    expect(() => parseModelsQuery({ q: ['a', 'b'] })).toThrow(expect.objectContaining({ param: 'q' }));
  });
});
