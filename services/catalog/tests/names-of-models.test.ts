import { messagesModelList, modelList, modelObject, modelStatusList } from '@model-gateway/shared';
import { simulatedCatalog, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    catalog: true,
    document: (baseUrl) => {
      const { models, providers } = simulatedCatalog(baseUrl);
      const names: Record<string, { aliases: string[]; fallbacks?: string[] }> = {
        'sim/chat-free': { aliases: ['gpt-4o', 'vendor/gpt@4:o'], fallbacks: ['sim/other'] },
        'sim/embed-free': { aliases: ['sim'] },
      };
      const [chat] = models;
      if (chat === undefined) throw new Error('there is always a model');
      return {
        providers,
        models: [
          ...models.map((model) => ({ ...model, ...names[model.id] })),
          { ...chat, id: 'sim/other' },
          {
            id: 'sim/any',
            name: 'Any',
            kind: 'virtual',
            aliases: ['any'],
            models: [{ model: 'sim/chat-free', weight: 19 }, { model: 'sim/other' }],
          },
        ],
      };
    },
  });
});
afterAll(() => gateway.close());

const read = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(gateway.baseUrl + path, { headers });
  return { status: response.status, body: await response.json() };
};

describe('the names of models', () => {
  it('are members of a model in the list, and no models of their own', async () => {
    const { data } = modelList.parse((await read('/v1/models')).body);
    expect(data).toHaveLength(18);
    expect(data.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toSorted());
    expect(data.find(({ id }) => id === 'sim/chat-free')).toMatchObject({
      aliases: ['gpt-4o', 'vendor/gpt@4:o'],
      fallbacks: ['sim/other'],
    });
    expect(data.find(({ id }) => id === 'sim/chat-pro')).not.toHaveProperty('aliases');
    expect(data.find(({ id }) => id === 'sim/any')).toMatchObject({
      capability: 'chat',
      tier: 'free',
      models: [
        { model: 'sim/chat-free', weight: 19 },
        { model: 'sim/other', weight: 1 },
      ],
    });
    const found = modelList.parse((await read('/v1/models?q=GPT%40')).body);
    expect(found.data.map(({ id }) => id)).toEqual(['sim/chat-free']);
  });

  it.each([
    ['gpt-4o', 'sim/chat-free'],
    ['vendor/gpt@4:o', 'sim/chat-free'],
    ['vendor%2Fgpt%404%3Ao', 'sim/chat-free'],
    ['sim', 'sim/embed-free'],
    ['any', 'sim/any'],
    ['sim/any', 'sim/any'],
  ])('lead to the model: %s', async (name, id) => {
    const { body, status } = await read(`/v1/models/${name}`);
    expect(status).toBe(200);
    expect(modelObject.parse(body).id).toBe(id);
  });

  it('include virtual models for clients of Anthropic, too', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    expect((await read('/v1/models/any', headers)).body).toMatchObject({ type: 'model', id: 'sim/any' });
    const { data } = messagesModelList.parse((await read('/v1/models', headers)).body);
    expect(data).toContainEqual(expect.objectContaining({ id: 'sim/any', display_name: 'Any' }));
  });

  it('have no figures of their own: those are the models’', async () => {
    const { data } = modelStatusList.parse((await read('/v1/status/models')).body);
    expect(data.map(({ id }) => id)).not.toContain('sim/any');
    expect(data).toHaveLength(17);
  });
});
