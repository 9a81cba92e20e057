import { describe, expect, it } from 'vitest';
import { fileOfDocument } from './catalog-document.ts';
import { checkCatalog } from './check-catalog.ts';

/** Words of the library that checks the schema, and of the language behind it. */
const LIBRARY =
  /invalid input|invalid option|expected|received|undefined|\bNaN\b|zod|too (big|small)|unrecognized|regex|\bobject\b.*record/i;

function problemsOf(content: unknown): Record<string, string> {
  const checked = checkCatalog(content);
  if ('document' in checked) throw new Error('there is nothing wrong with it');
  return Object.fromEntries(checked.problems.map(({ path, message }) => [path, message]));
}

const provider = { id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url: 'https://acme.example/v1' };
const model = {
  id: 'acme/small',
  name: 'Small',
  capability: 'chat',
  tier: 'paid',
  upstreams: [{ provider: 'acme', model: 'small' }],
  pricing: { input_per_million_usd: '0.1', output_per_million_usd: '0.2' },
};
const withProvider = (changes: object) => ({ providers: [{ ...provider, ...changes }], models: [] });
const withModel = (changes: object) => ({ providers: [provider], models: [{ ...model, ...changes }] });

describe('mistakes in a catalog file', () => {
  it('are told in words of the file: what is missing is required', () => {
    expect(problemsOf({})).toEqual({ providers: 'is required', models: 'is required' });
    expect(problemsOf({ providers: [{}], models: [{}] })).toEqual({
      'providers[0].id': 'is required',
      'providers[0].name': 'is required',
      'providers[0].kind': 'is required',
      'providers[0].base_url': 'is required',
      'models[0].id': 'is required',
      'models[0].name': 'is required',
      'models[0].capability': 'is required',
      'models[0].tier': 'is required',
      'models[0].upstreams': 'is required',
    });
  });

  it.each([
    [{ pricing: { ...model.pricing, input_per_million_usd: 0.15 } }, 'pricing.input_per_million_usd', '0.15'],
    [{ name: 5 }, 'name', '5'],
    [{ name: true }, 'name', 'true'],
    [{ upstreams: [{ provider: 'acme', model: 4.1 }] }, 'upstreams[0].model', '4.1'],
  ])('%j is text that needs quotes', (changes, path, value) => {
    expect(problemsOf(withModel(changes))).toEqual({
      [`models[0].${path}`]: `must be text: put it in quotes: "${value}"`,
    });
  });

  it.each<[object, string, string]>([
    [withModel({ tier: 'cheap' }), 'models[0].tier', 'must be one of free, paid'],
    [withModel({ context_length: '8k' }), 'models[0].context_length', 'must be a number'],
    [withModel({ context_length: 1.5 }), 'models[0].context_length', 'must be a whole number'],
    [withModel({ context_length: 0 }), 'models[0].context_length', 'must be at least 1'],
    [withModel({ upstreams: {} }), 'models[0].upstreams', 'must be a list'],
    [withModel({ name: '' }), 'models[0].name', 'must not be empty'],
    [withModel({ name: 'x'.repeat(201) }), 'models[0].name', 'must have at most 200 characters: it has 201'],
    [withModel({ input_modalities: [] }), 'models[0].input_modalities', 'must not be empty'],
    [
      withModel({ deprecated_at: 'soon' }),
      'models[0].deprecated_at',
      'must be a time such as "2027-01-15T08:00:00Z"',
    ],
    [withModel({ colour: 'red' }), 'models[0]', 'has no field "colour"'],
    [
      {
        providers: [{ ...provider, kind: 'anthropic' }],
        models: [{ ...model, capability: 'embeddings', pricing: { input_per_million_usd: '1' } }],
      },
      'models[0].upstreams[0].provider',
      'a provider of the kind "anthropic" has no embeddings, only chat',
    ],
    [
      withProvider({ kind: 'other' }),
      'providers[0].kind',
      'must be one of openai-compatible, anthropic, gemini, vertex, azure-openai, bedrock, cohere',
    ],
    [withProvider({ base_url: 'acme.example' }), 'providers[0].base_url', 'must be an http or https URL'],
    [withProvider({ base_url: 5 }), 'providers[0].base_url', 'must be text: put it in quotes: "5"'],
    [withProvider({ headers: 5 }), 'providers[0].headers', 'must be an object, with fields of its own'],
    [withProvider({ headers: { 'a b': '1' } }), 'providers[0].headers.a b', 'not a header name'],
    [withProvider({ headers: { a: 1 } }), 'providers[0].headers.a', 'must be text: put it in quotes: "1"'],
    [
      withProvider({ kind: 'anthropic', headers: { 'X-Api-Key': '1' } }),
      'providers[0].headers.X-Api-Key',
      'the gateway sets this header itself',
    ],
    [
      withProvider({ credential_env: 'A KEY' }),
      'providers[0].credential_env',
      'not the name of an environment variable',
    ],
    [
      withProvider({ credential_env: ['A_KEY', 'A KEY'] }),
      'providers[0].credential_env[1]',
      'not the name of an environment variable',
    ],
    [
      withProvider({ credential_env: ['A_KEY', 'INTERNAL_TOKEN'] }),
      'providers[0].credential_env[1]',
      'this variable is a secret of the gateway itself',
    ],
    [
      withProvider({ credential_env: ['A_KEY', 'A_KEY'] }),
      'providers[0].credential_env',
      'a variable is listed twice',
    ],
    [
      withProvider({ credential_env: ['A_KEY', { name: 'A_KEY', weight: 2 }] }),
      'providers[0].credential_env',
      'a variable is listed twice',
    ],
    [
      withProvider({ credential_env: [{ name: 'A KEY', weight: 2 }] }),
      'providers[0].credential_env[0].name',
      'not the name of an environment variable',
    ],
    [
      withProvider({ credential_env: [{ key: 'A_KEY' }] }),
      'providers[0].credential_env',
      'must be the name of a variable, or a list of names or of { name, weight }',
    ],
    [
      withProvider({ credential_env: [] }),
      'providers[0].credential_env',
      'a list of credentials has at least one name; leave it out where none is needed',
    ],
    [
      withProvider({ credential_env: Array.from({ length: 17 }, (_, index) => `KEY_${index}`) }),
      'providers[0].credential_env',
      'a provider has at most 16 credentials',
    ],
    [
      withProvider({ credential_env: 5 }),
      'providers[0].credential_env',
      'must be the name of a variable, or a list of names or of { name, weight }',
    ],
    [withProvider({ apis: ['telepathy'] }), 'providers[0].apis[0]', 'must be one of chat, responses'],
    [withProvider({ apis: ['chat', 'chat'] }), 'providers[0].apis', 'an API is listed twice'],
    [withProvider({ apis: ['responses'] }), 'providers[0].apis', 'every provider of this kind has "chat"'],
    [
      withProvider({ kind: 'anthropic', apis: ['chat', 'responses'] }),
      'providers[0].apis',
      'a provider of the kind "anthropic" has one API only',
    ],
    [
      withProvider({ kind: 'azure-openai', apis: ['responses'] }),
      'providers[0].apis',
      'every provider of this kind has "chat"',
    ],
    [
      withProvider({ kind: 'azure-openai', headers: { 'Api-Key': '1' } }),
      'providers[0].headers.Api-Key',
      'the gateway sets this header itself',
    ],
    [
      withProvider({ resource: 'mine' }),
      'providers[0].resource',
      'only a provider of the kind "azure-openai" has one',
    ],
    [
      withProvider({ kind: 'azure-openai', resource: 'mine' }),
      'providers[0].resource',
      'sets the same as "base_url": leave one of them out',
    ],
    [
      withProvider({ kind: 'azure-openai', base_url: undefined, resource: 'not.mine/' }),
      'providers[0].resource',
      'the name of a resource is lower-case letters, digits and "-"',
    ],
    [withProvider({ kind: 'azure-openai', base_url: undefined }), 'providers[0].base_url', 'is required'],
    [
      withProvider({ region: 'us-east-1' }),
      'providers[0].region',
      'a provider of the kind "openai-compatible" has no region',
    ],
    [
      withProvider({ kind: 'bedrock' }),
      'providers[0].region',
      'a provider of the kind "bedrock" needs its region',
    ],
    [withProvider({ kind: 'bedrock', region: 'USA' }), 'providers[0].region', 'not the name of a region'],
    [
      withProvider({ kind: 'bedrock', region: 'us-east-1', headers: { 'X-Amz-Date': '1' } }),
      'providers[0].headers.X-Amz-Date',
      'the gateway sets this header itself',
    ],
    [
      withProvider({ kind: 'vertex', base_url: undefined }),
      'providers[0].region',
      'a provider of the kind "vertex" needs its region',
    ],
    ...(['region', 'project'] as const).map((member): [object, string, string] => [
      withProvider({ kind: 'vertex', [member]: 'global' }),
      `providers[0].${member}`,
      'is a part of "base_url": leave one of them out',
    ]),
    [
      withProvider({ project: 'mine' }),
      'providers[0].project',
      'a provider of the kind "openai-compatible" has no project',
    ],
    [withProvider({ kind: 'bedrock', region: 'us' }), 'providers[0].region', 'not the name of a region'],
    [withProvider({ name: null }), 'providers[0].name', 'must be text'],
    [withProvider({ timeouts_ms: { total: 0 } }), 'providers[0].timeouts_ms.total', 'must be at least 1'],
  ])('%j', (content, path, message) => {
    expect(problemsOf(content)).toMatchObject({ [path]: message });
  });

  it.each([
    ['eu-central-1', 'https://bedrock-runtime.eu-central-1.amazonaws.com'],
    ['cn-north-1', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ])('are none where the address of Bedrock follows from its region %s', (region, base_url) => {
    const content = withProvider({ kind: 'bedrock', base_url: undefined, region });
    expect(checkCatalog(content)).toMatchObject({ document: { providers: [{ region, base_url }] } });
    const own = withProvider({ kind: 'bedrock', region });
    expect(checkCatalog(own)).toMatchObject({ document: { providers: [{ base_url: provider.base_url }] } });
  });

  it.each([
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
    ['global', 'https://aiplatform.googleapis.com'],
  ])('are none where the address of Vertex AI follows from its region %s', (region, origin) => {
    const addressOf = (changes: object) => {
      const checked = checkCatalog(withProvider({ kind: 'vertex', base_url: undefined, region, ...changes }));
      return 'document' in checked ? checked.document.providers[0] : checked;
    };
    expect(addressOf({ project: 'mine' })).toMatchObject({
      base_url: `${origin}/v1/projects/mine/locations/${region}`,
    });
    const provider = addressOf({});
    expect(provider).toMatchObject({ base_url: `${origin}/v1/projects/-/locations/${region}` });
    // It is a part of the address then, so that what is stored is a catalog again.
    expect(provider).not.toHaveProperty('region');
  });

  it('are none where a header is that of the credential of another kind of provider', () => {
    expect(checkCatalog(withProvider({ headers: { 'x-api-key': '1' } }))).toHaveProperty('document');
    expect(
      checkCatalog(withProvider({ kind: 'anthropic', headers: { 'anthropic-version': '2023-06-01' } })),
    ).toHaveProperty('document');
  });

  it('are none where a resource of Azure is named instead of its address', () => {
    const document = (changes: object) => checkCatalog(withProvider({ kind: 'azure-openai', ...changes }));
    const named = document({ base_url: undefined, resource: 'my-resource' });
    expect(named).toHaveProperty('document');
    expect(named).toEqual(document({ base_url: 'https://my-resource.openai.azure.com/openai/v1' }));
    // Both APIs are its default, which may be written out; one alone says something.
    expect(document({ apis: ['chat', 'responses'] })).toEqual(document({}));
    expect(document({ apis: ['chat'] })).not.toEqual(document({}));
  });

  it('are none in either order of the APIs of a provider, and the default may be written out', () => {
    const document = (changes: object) => checkCatalog(withProvider(changes));
    expect(document({ apis: ['responses', 'chat'] })).toEqual(document({ apis: ['chat', 'responses'] }));
    expect(document({ apis: ['chat'] })).toEqual(document({}));
    expect(document({ apis: ['chat', 'responses'] })).not.toEqual(document({}));
  });

  it('are none in any spelling of the same credentials', () => {
    const document = (credential_env: unknown) => checkCatalog(withProvider({ credential_env }));
    expect(document(['ACME_API_KEY'])).toEqual(document('ACME_API_KEY'));
    expect(document([{ name: 'ACME_API_KEY', weight: 5 }])).toEqual(document('ACME_API_KEY'));
    expect(document(['ACME_API_KEY', 'OTHER'])).not.toEqual(document('ACME_API_KEY'));
    const even = ['ACME_API_KEY', 'OTHER'].map((name) => ({ name, weight: 7 }));
    expect(document(even)).toEqual(document(['ACME_API_KEY', 'OTHER']));
  });

  it('are none in a file that was written from a parsed file', () => {
    const credential_env = [{ name: 'ACME_API_KEY', weight: 5 }, 'OTHER'];
    const checked = checkCatalog(withProvider({ credential_env }));
    if (!('document' in checked)) throw new Error('the file is right');
    expect(checkCatalog(fileOfDocument(checked.document))).toEqual(checked);
  });

  it.each([
    [null],
    [[]],
    ['x'],
    [5],
    [{ providers: 5, models: null }],
    [{ providers: [5], models: ['x', null] }],
    [withProvider({ id: 'A B', credential_env: '1', headers: { host: 'é' }, timeouts_ms: 'x', more: 1 })],
    [
      withModel({
        id: 7,
        capability: null,
        tier: 3,
        upstreams: [{}],
        pricing: [],
        tokens_per_media_part: 1e9,
      }),
    ],
    [withModel({ id: 'x'.repeat(300), description: 'x'.repeat(3_000), context_length: 1e99 })],
    [withModel({ pricing: { input_per_million_usd: '1e3', gold: '1' }, upstreams: [] })],
  ])('are never told in words of the library: %j', (content) => {
    for (const message of Object.values(problemsOf(content))) {
      expect(message).not.toMatch(LIBRARY);
      expect(message).not.toBe('');
    }
  });

  it('name an API that a model cannot have at its provider', () => {
    const upstream = (changes: object) => ({ upstreams: [{ provider: 'acme', model: 'small', ...changes }] });
    expect(problemsOf(withModel(upstream({ prefer: 'responses' })))).toEqual({
      'models[0].upstreams[0].prefer': 'the model has no "responses" there, only chat',
    });
    expect(problemsOf(withModel(upstream({ apis: ['responses'], prefer: 'chat' })))).toEqual({
      'models[0].upstreams[0].prefer': 'the model has no "chat" there, only responses',
    });
    expect(
      problemsOf(
        withModel({ ...upstream({ apis: ['chat'] }), capability: 'embeddings', tier: 'free', pricing: {} }),
      ),
    ).toEqual({
      'models[0].upstreams[0].apis': 'only a chat model has chat APIs',
    });
    const atAnthropic = { providers: [{ ...provider, kind: 'anthropic' }] };
    expect(problemsOf({ ...atAnthropic, models: [{ ...model, ...upstream({ prefer: 'chat' }) }] })).toEqual({
      'models[0].upstreams[0].prefer': 'a provider of the kind "anthropic" has one API only',
    });
  });
});
