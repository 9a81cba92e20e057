import { describe, expect, it } from 'vitest';
import { checkCatalog } from './check-catalog.ts';

const provider = { id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url: 'https://acme.example/v1' };
const served = (id: string, more: object = {}) => ({
  id,
  name: id,
  capability: 'chat',
  tier: 'free',
  upstreams: [{ provider: 'acme', model: 'm' }],
  ...more,
});
const paid = {
  tier: 'paid',
  pricing: { input_per_million_usd: '1', output_per_million_usd: '1' },
};
const virtual = (id: string, models: string[], more: object = {}) => ({
  id,
  name: id,
  kind: 'virtual',
  models: models.map((model) => ({ model })),
  ...more,
});

function checked(models: object[], others: Parameters<typeof checkCatalog>[1] = []) {
  return checkCatalog({ providers: [provider], models }, others);
}

function problems(models: object[], others: Parameters<typeof checkCatalog>[1] = []): Record<string, string> {
  const result = checked(models, others);
  if ('document' in result) return {};
  return Object.fromEntries(result.problems.map(({ path, message }) => [path, message]));
}

describe('aliases', () => {
  it.each([
    'gpt-4o',
    'claude-sonnet-4-5',
    'text-embedding-3-small',
    'meta-llama/Llama-3.3-70B-Instruct',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'claude-3-5-sonnet@20241022',
    '@cf/meta/llama-3-8b',
    'models/gemini-2.0-flash',
    'x',
  ])('are names as clients send them: %s', (alias) => {
    expect(checked([served('acme/a', { aliases: [alias] })])).toMatchObject({
      document: { models: [{ aliases: [alias] }] },
    });
  });

  it.each(['', ' gpt-4o', 'gpt 4o', 'gpt-4o/', '/gpt', 'gpt\n', 'gpt?x', 'gpt#1', 'gpt%34', 'x'.repeat(201)])(
    'are no text with which a URL or a log would have trouble: %j',
    (alias) => {
      expect(problems([served('acme/a', { aliases: [alias] })])).toHaveProperty('models[0].aliases[0]');
    },
  );

  it('belong to one model', () => {
    expect(
      problems([
        served('acme/a', { aliases: ['gpt-4o', 'acme/b', 'twice', 'twice'] }),
        served('acme/b', { aliases: ['gpt-4o'] }),
        virtual('acme/v', ['acme/a'], { aliases: ['acme/v', 'gpt-4o'] }),
      ]),
    ).toEqual({
      'models[0].aliases[0]': '"gpt-4o" is also an alias of "acme/v"',
      'models[0].aliases[1]': '"acme/b" is the id of a model already',
      'models[0].aliases[3]': '"twice" is listed twice',
      'models[1].aliases[0]': '"gpt-4o" is also an alias of "acme/v"',
      'models[2].aliases[0]': '"acme/v" is the id of a model already',
    });
  });

  it('are case-sensitive', () => {
    const models = [served('acme/a', { aliases: ['GPT-4o'] }), served('acme/b', { aliases: ['gpt-4o'] })];
    expect(problems(models)).toEqual({});
  });
});

describe('fallbacks', () => {
  it('are other models of the file, with the same capability and the same tier', () => {
    expect(
      problems([
        served('acme/a', {
          fallbacks: ['acme/b', 'acme/b', 'acme/a', 'acme/none', 'acme/e', 'acme/p', 'acme/v'],
        }),
        served('acme/b'),
        served('acme/e', { capability: 'embeddings' }),
        served('acme/p', paid),
        virtual('acme/v', ['acme/b']),
      ]),
    ).toEqual({
      'models[0].fallbacks[1]': '"acme/b" is listed twice',
      'models[0].fallbacks[2]': '"acme/a" is already tried before the fallbacks',
      'models[0].fallbacks[3]': 'no model "acme/none" in this file',
      'models[0].fallbacks[4]': '"acme/e" is for embeddings, and "acme/a" for chat',
      'models[0].fallbacks[5]': '"acme/p" is paid, and "acme/a" free: name models of one tier',
      'models[0].fallbacks[6]': '"acme/v" is a virtual model: name models that have upstreams',
    });
  });

  it('may name each other, and may stand behind a virtual model', () => {
    const models = [
      served('acme/a', { fallbacks: ['acme/b'] }),
      served('acme/b', { fallbacks: ['acme/a'] }),
      served('acme/c'),
      virtual('acme/v', ['acme/a', 'acme/b'], { fallbacks: ['acme/c'] }),
    ];
    expect(problems(models)).toEqual({});
  });
});

describe('a virtual model', () => {
  it('has weights, which are 1 where they are left out, and nothing that its models have', () => {
    const canary = {
      ...virtual('acme/v', []),
      models: [{ model: 'acme/a', weight: 95 }, { model: 'acme/b' }],
    };
    expect(checked([canary, served('acme/a'), served('acme/b')])).toMatchObject({
      document: {
        models: [{ id: 'acme/a' }, { id: 'acme/b' }],
        virtualModels: [
          {
            id: 'acme/v',
            models: [
              { model: 'acme/a', weight: 95 },
              { model: 'acme/b', weight: 1 },
            ],
          },
        ],
      },
    });
    expect(
      problems([{ ...canary, capability: 'chat', tier: 'free', pricing: {}, upstreams: [] }]),
    ).toMatchObject({
      'models[0]': 'has no field "capability", "tier", "pricing", "upstreams"',
    });
    expect(problems([{ ...canary, kind: 'virtuel' }])).toEqual({
      'models[0].kind': 'must be "virtual", or left out',
    });
    expect(problems([virtual('acme/v', [])])).toEqual({
      'models[0].models': 'a virtual model needs at least one model',
    });
    expect(problems([{ ...canary, models: [{ model: 'acme/a', weight: 0 }] }])).toHaveProperty(
      'models[0].models[0].weight',
    );
  });

  it('is made of models of the file, of one capability and one tier, each of them once', () => {
    expect(
      problems([
        virtual('acme/v', ['acme/a', 'acme/a', 'acme/none', 'acme/e', 'acme/p', 'acme/w'], {
          fallbacks: ['acme/a'],
        }),
        virtual('acme/w', ['acme/a']),
        served('acme/a'),
        served('acme/e', { capability: 'embeddings' }),
        served('acme/p', paid),
      ]),
    ).toEqual({
      'models[0].models[1].model': '"acme/a" is listed twice',
      'models[0].models[2].model': 'no model "acme/none" in this file',
      'models[0].models[3].model': '"acme/e" is for embeddings, and "acme/a" for chat',
      'models[0].models[4].model': '"acme/p" is paid, and "acme/a" free: name models of one tier',
      'models[0].models[5].model': '"acme/w" is a virtual model: name models that have upstreams',
      'models[0].fallbacks[0]': '"acme/a" is already tried before the fallbacks',
    });
  });
});

describe('models that are in the catalog beside those of a file', () => {
  const inForce = checked([served('acme/old', { aliases: ['gpt-4o', 'acme/new'] })]);
  if (!('document' in inForce)) throw new Error('there is something wrong with it');
  const others = inForce.document.models;

  it('can be named', () => {
    const models = [served('acme/a', { fallbacks: ['acme/old'] }), virtual('acme/v', ['acme/a', 'acme/old'])];
    expect(problems(models, others)).toEqual({});
  });

  it('their names cannot be taken', () => {
    expect(problems([served('acme/a', { aliases: ['gpt-4o'] }), served('acme/new')], others)).toEqual({
      'models[0].aliases[0]': '"gpt-4o" is also an alias of "acme/old"',
      models: 'conflict with "acme/old" of the catalog: "acme/new" is the id of a model already',
    });
  });
});
