import { modelEntry, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { askResponses, responseOf } from '../endpoints/ask-responses.ts';
import { startStoringProvider } from '../providers/storing-provider.ts';

const keeping = withStarted(() => startStoringProvider('a'));
const gateway = withGateway(() => {
  const names = ['one', 'two'];
  return {
    document: () => ({
      providers: names.map((id) => ({
        id,
        name: id,
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
        base_url: keeping.baseUrl,
      })),
      models: [
        ...names.map((name) => modelEntry(`acme/${name}`, { [name]: 'theirs' })),
        {
          id: 'acme/either',
          name: 'Either',
          kind: 'virtual',
          aliases: ['either'],
          models: names.map((name) => ({ model: `acme/${name}` })),
        },
      ],
    }),
  };
});
beforeEach(() => {
  keeping.received.length = 0;
});

describe('a conversation with a virtual model', () => {
  it('a conversation with a virtual model stays with the model and provider that stored its last response', async () => {
    // Going on with the other one is refused, so a draw would be seen with all but 2^-30 of certainty.
    for (let time = 0; time < 30; time++) {
      const model = time % 2 === 0 ? 'acme/either' : 'either';
      const first = responseOf(await askResponses(gateway, gateway.rawKey, { body: { model, input: 'hi' } }));
      const turn = await askResponses(gateway, gateway.rawKey, {
        body: { model, input: 'on', previous_response_id: first.id },
      });
      expect(turn.status, turn.body).toBe(200);
      expect(responseOf(turn).model).toBe(first.model);
      const read = await askResponses(gateway, gateway.rawKey, { path: `/${first.id}` });
      expect(responseOf(read)).toMatchObject({ id: first.id, model: first.model });
    }
  });
});

describe('a conversation whose caller names several models', () => {
  it.each([
    ['acme/two', { models: ['acme/one', 'acme/two'] }],
    ['acme/two', { model: 'acme/one', models: ['either'] }],
    ['acme/one', { model: 'acme/one', models: ['acme/two'] }],
  ])(
    'a conversation stays with %s, which gave the last response, wherever %j names it',
    async (model, named) => {
      const first = responseOf(await askResponses(gateway, gateway.rawKey, { body: { model, input: 'hi' } }));
      for (const stream of [false, true]) {
        keeping.received.length = 0;
        const turn = await askResponses(gateway, gateway.rawKey, {
          body: { ...named, input: 'on', previous_response_id: first.id, stream },
        });
        expect(turn.status, turn.body).toBe(200);
        expect(turn.body).toContain(`"model":"${model}"`);
        expect(keeping.received).toHaveLength(1);
      }
    },
  );

  it('a conversation is refused when the caller names none of the models that gave its responses', async () => {
    const first = responseOf(
      await askResponses(gateway, gateway.rawKey, { body: { model: 'acme/two', input: 'hi' } }),
    );
    keeping.received.length = 0;
    const body = { models: ['acme/one'], input: 'on', previous_response_id: first.id };
    expect(await askResponses(gateway, gateway.rawKey, { body })).toMatchObject({ status: 400 });
    expect(keeping.received).toHaveLength(0);
  });
});
