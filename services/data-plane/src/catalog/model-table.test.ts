import type { CatalogMessage } from '@model-gateway/contracts';
import { providerProtocolOf } from '@model-gateway/dialects';
import { KIND_CAPABILITIES, providerKind } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { modelTable } from './model-table.ts';

type Provider = CatalogMessage['providers'][number];

function model(id: string, capability: string): CatalogMessage['models'][number] {
  return {
    id,
    name: id,
    description: '',
    capability,
    tier: 'free',
    guardrails: [],
    inputModalities: [],
    outputModalities: [],
    aliases: [],
    fallbacks: [],
    upstreams: [],
    pricing: {},
    createdAt: '0',
    timeouts: null,
  };
}

function acme(more: Partial<Provider> = {}): Provider {
  return {
    id: 'acme',
    name: 'Acme',
    kind: 'openai-compatible',
    baseUrl: 'https://api.acme.example/v1',
    headers: {},
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 },
    apis: [],
    credentialEnvs: [],
    credentialWeights: [],
    ...more,
  };
}

it('a model with a capability that only newer releases know is left out, and the others are served', () => {
  const { models } = modelTable({
    revision: '1',
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    providers: [],
    models: [model('acme/video', 'video'), model('acme/chat', 'chat')],
  });
  expect([...models.keys()]).toEqual(['acme/chat']);
});

it('ids, aliases and virtual models resolve to models, without those that only newer releases can serve', () => {
  const virtual = (id: string, ...ids: string[]) => ({
    id,
    name: id,
    description: '',
    models: ids.map((model) => ({ model, weight: 2 })),
    aliases: [`${id}-alias`],
    fallbacks: ['acme/spare', 'acme/video'],
    createdAt: '0',
  });
  const { choices, models } = modelTable({
    revision: '1',
    providers: [],
    models: [
      { ...model('acme/chat', 'chat'), aliases: ['gpt-4o'], fallbacks: ['acme/video', 'acme/spare'] },
      model('acme/spare', 'chat'),
      { ...model('acme/video', 'video'), aliases: ['sora'] },
    ],
    virtualModels: [virtual('acme/some', 'acme/video', 'acme/chat'), virtual('acme/none', 'acme/video')],
    priceLists: [],
    guardrails: [],
  });
  const chat = models.get('acme/chat');
  const fallbacks = [models.get('acme/spare')];
  expect(chat?.id).toBe('acme/chat');
  expect([...choices.keys()].toSorted()).toEqual([
    'acme/chat',
    'acme/some',
    'acme/some-alias',
    'acme/spare',
    'gpt-4o',
  ]);
  expect(choices.get('gpt-4o')).toEqual({ members: [{ model: chat, weight: 1 }], fallbacks });
  expect(choices.get('acme/chat')).toBe(choices.get('gpt-4o'));
  expect(choices.get('acme/some-alias')).toEqual({
    members: [{ model: chat, weight: 2 }],
    fallbacks,
  });
  // Virtual models have no upstreams of their own to be probed or to have connections.
  expect([...models.keys()]).toEqual(['acme/chat', 'acme/spare']);
});

it('a provider of a kind that only newer releases know is left out, and its models keep their other upstreams', () => {
  const timeouts = { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 };
  const provider = (id: string, kind: string) => ({
    id,
    name: id,
    kind,
    baseUrl: 'https://api.example/v1',
    headers: {},
    timeouts,
    apis: [],
    credentialEnvs: [],
    credentialWeights: [],
  });
  const upstream = (id: string) => ({ provider: id, model: 'm', priority: 1, weight: 1, apis: [] });
  const { models, providers } = modelTable({
    revision: '1',
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    providers: [provider('acme', 'openai-compatible'), provider('newer', 'telepathy')],
    models: [{ ...model('acme/chat', 'chat'), upstreams: [upstream('newer'), upstream('acme')] }],
  });
  expect([...providers.keys()]).toEqual(['acme']);
  expect(models.get('acme/chat')?.upstreams.map(({ provider: { id } }) => id)).toEqual(['acme']);
});

it('weights of credentials and the affinity of models are those of the catalog', () => {
  const { choices, models, providers } = modelTable({
    revision: '1',
    providers: [
      acme({ credentialEnvs: ['A', 'B'], credentialWeights: [2, 5] }),
      acme({ id: 'even', credentialEnvs: ['A', 'B'] }),
    ],
    models: [
      { ...model('acme/chat', 'chat'), affinity: 'none' },
      { ...model('acme/new', 'chat'), affinity: 'a newer release knows it' },
    ],
    virtualModels: [],
    priceLists: [],
    guardrails: [],
  });
  const weights = (id: string) => providers.get(id)?.credentials.map(({ weight }) => weight);
  expect(weights('acme')).toEqual([2, 5]);
  expect(weights('even')).toEqual([1, 1]);
  expect([models.get('acme/chat')?.affinity, choices.get('acme/chat')?.affinity]).toEqual(['none', 'none']);
  expect([models.get('acme/new')?.affinity, choices.get('acme/new')?.affinity]).toEqual([
    undefined,
    undefined,
  ]);
});

it('the constant headers of a provider are in lower case', () => {
  const { providers } = modelTable({
    revision: '1',
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    providers: [acme({ kind: 'anthropic', headers: { 'Anthropic-Version': '2023-06-01', 'x-extra': 'A' } })],
    models: [],
  });
  expect(providers.get('acme')?.headers).toEqual({ 'anthropic-version': '2023-06-01', 'x-extra': 'A' });
});

it('each timeout that a model does not set is that of its provider', () => {
  const { models, providers } = modelTable({
    revision: '1',
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    providers: [
      acme({ timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4, firstBytePlainMs: 5 } }),
    ],
    models: [
      { timeouts: null },
      { timeouts: {} },
      { timeouts: { connectMs: 10, idleMs: 30 } },
      { timeouts: { firstByteMs: 20, totalMs: 40, firstBytePlainMs: 50 } },
    ].map((more, index) => ({
      ...model(`acme/${index}`, 'chat'),
      ...more,
      upstreams: [{ provider: 'acme', model: 'm', priority: 1, weight: 1, apis: [] }],
    })),
  });
  const ofProvider = { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4, firstBytePlainMs: 5 };
  expect([...models.values()].map(({ upstreams }) => upstreams[0]?.provider.timeouts)).toEqual([
    ofProvider,
    ofProvider,
    { ...ofProvider, connectMs: 10, idleMs: 30 },
    { ...ofProvider, firstByteMs: 20, totalMs: 40, firstBytePlainMs: 50 },
  ]);
  expect(providers.get('acme')?.timeouts).toEqual(ofProvider);
});

it.each(providerKind.options)(
  'the catalog accepts exactly the capabilities that a provider of kind %s can serve',
  (kind) => {
    const served = Object.keys(providerProtocolOf(kind, { apis: [] })?.endpoints ?? {});
    expect(served.toSorted()).toEqual(KIND_CAPABILITIES[kind].toSorted());
  },
);

it('a provider has the chat APIs that the catalog lists, and unknown APIs are ignored', () => {
  const apisOf = (...apis: string[]) =>
    providerProtocolOf('openai-compatible', { apis })?.endpoints.chat?.apis;
  expect(apisOf()).toEqual(['chat-completions']);
  expect(apisOf('chat', 'telepathy')).toEqual(['chat-completions']);
  expect(apisOf('chat', 'responses', 'telepathy')).toEqual(['chat-completions', 'responses']);
  expect(providerProtocolOf('azure-openai', { apis: [] })?.endpoints.chat?.apis).toEqual([
    'chat-completions',
    'responses',
  ]);
  expect(providerProtocolOf('azure-openai', { apis: ['chat'] })?.endpoints.chat?.apis).toEqual([
    'chat-completions',
  ]);
  expect(providerProtocolOf('anthropic', { apis: ['chat', 'responses'] })?.endpoints.chat?.apis).toEqual([
    'messages',
  ]);
});

it('a model has the APIs that its upstream names, else those of its provider', () => {
  const upstream = (apis: string[], prefer?: string) => ({
    provider: 'acme',
    model: 'm',
    priority: 1,
    weight: 1,
    apis,
    ...(prefer === undefined ? {} : { prefer }),
  });
  const { models } = modelTable({
    revision: '1',
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    providers: [acme({ apis: ['chat', 'responses'] })],
    models: [
      {
        ...model('acme/chat', 'chat'),
        upstreams: [
          upstream([]),
          upstream([], 'responses'),
          upstream(['responses']),
          upstream(['chat']),
          upstream([], 'telepathy'),
        ],
      },
    ],
  });
  const apis = models.get('acme/chat')?.upstreams.map((one) => one.provider.protocol.endpoints.chat?.apis);
  const both = ['chat-completions', 'responses'];
  expect(apis).toEqual([both, ['responses'], ['responses'], ['chat-completions'], both]);
});
