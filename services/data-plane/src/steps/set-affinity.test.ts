import { describe, expect, it } from 'vitest';
import { hashStart } from '../affinity/affinity-key.ts';
import { modelTable } from '../catalog/model-table.ts';
import { type ConversationInput, setAffinity } from './set-affinity.ts';

const START = [undefined, 'hello'];
const provider = (id: string, credentialEnvs: string[]) => ({
  ...{ id, name: id, kind: 'openai-compatible', baseUrl: 'https://api.example/v1', headers: {}, apis: [] },
  timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
  credentialEnvs,
  credentialWeights: [],
});
const model = (id: string, providers: string[], more: { affinity?: string; fallbacks?: string[] } = {}) => ({
  ...{ id, name: id, description: '', capability: 'chat', tier: 'free', pricing: {}, timeouts: null },
  ...{
    guardrails: [],
    inputModalities: [],
    outputModalities: [],
    aliases: [],
    fallbacks: [],
    createdAt: '0',
    ...more,
  },
  upstreams: providers.map((each) => ({ provider: each, model: 'm', priority: 1, weight: 1, apis: [] })),
});
const table = modelTable({
  revision: '1',
  providers: [provider('one', ['A']), provider('two', ['A', 'B'])],
  models: [
    model('m/alone', ['one']),
    model('m/keys', ['two']),
    model('m/upstreams', ['one', 'two']),
    model('m/spread', ['two'], { affinity: 'none' }),
    model('m/fallback', ['one'], { fallbacks: ['m/keys'] }),
  ],
  virtualModels: [],
  priceLists: [],
  guardrails: [],
});

interface Asked extends Partial<ConversationInput> {
  model?: string;
  models?: string[];
  session?: string;
  accountId?: string;
}

function affinityOf({ model = 'm/keys', models, session, accountId = 'acct_1', ...more }: Asked = {}) {
  const record: Parameters<typeof setAffinity>[1] = { affinity: 'none', key: { accountId }, session };
  const request = { model, models, start: START };
  setAffinity({ models: { table } }, record, { request, capability: 'chat', ...more });
  expect((more.request ?? request).start).toBeUndefined();
  return record;
}

describe('the affinity of a request', () => {
  it('comes from the session, else from the first messages', () => {
    const bySession = affinityOf({ session: 's' });
    const byPrefix = affinityOf();
    expect([bySession.affinity, byPrefix.affinity]).toEqual(['session', 'prefix']);
    expect(affinityOf({ session: 's' })).toEqual(bySession);
    expect(affinityOf({ session: 't' }).affinityKey).not.toEqual(bySession.affinityKey);
    expect(byPrefix.affinityKey).not.toEqual(bySession.affinityKey);
    expect(affinityOf({ accountId: 'acct_2' }).affinityKey).not.toEqual(byPrefix.affinityKey);
  });

  it('is the same whether a thread has hashed the first messages or not', () => {
    const request = { model: 'm/keys', start: hashStart(START) };
    expect(affinityOf({ request })).toEqual(affinityOf());
  });

  it('is that of the response that the request continues, unless it names a session', () => {
    const previous = { high: 1, low: 2 };
    expect(affinityOf({ previous })).toMatchObject({ affinity: 'prefix', affinityKey: previous });
    expect(affinityOf({ previous, session: 's' })).toEqual(affinityOf({ session: 's' }));
  });

  it.each(['m/keys', 'm/upstreams', 'm/fallback'])('has a key where there is a choice: %s', (model) => {
    expect(affinityOf({ model }).affinityKey).toBeDefined();
  });

  it('has no key where there is nothing to choose', () => {
    expect(affinityOf({ model: 'm/alone' })).toMatchObject({ affinity: 'prefix' });
    expect(affinityOf({ model: 'm/alone' }).affinityKey).toBeUndefined();
    expect(affinityOf({ model: 'm/alone', models: ['m/alone', 'm/keys'] }).affinityKey).toBeDefined();
  });

  it.each<[string, Asked]>([
    ['without messages', { request: { model: 'm/keys' } }],
    ['of a model that turns it off', { model: 'm/spread', session: 's' }],
    ['that is no chat', { capability: 'embeddings', session: 's' }],
  ])('is none for a request %s', (_name, asked) => {
    const { affinity, affinityKey } = affinityOf(asked);
    expect([affinity, affinityKey]).toEqual(['none', undefined]);
  });
});
