import type { CatalogMessage, ProviderCredentialMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { Configurations } from './configurations.ts';

function model(id: string, ...providers: string[]): CatalogMessage['models'][number] {
  return {
    id,
    name: id,
    description: '',
    capability: 'chat',
    tier: 'free',
    guardrails: [],
    inputModalities: [],
    outputModalities: [],
    aliases: [],
    fallbacks: [],
    upstreams: providers.map((provider) => ({ provider, model: 'm', priority: 1, weight: 1, apis: [] })),
    pricing: {},
    createdAt: '0',
    timeouts: null,
  };
}

const catalog: CatalogMessage = {
  revision: '1',
  providers: [],
  virtualModels: [],
  priceLists: [],
  guardrails: [],
  models: [
    model('a/none', 'none'),
    model('a/some', 'some'),
    model('a/some-and-none', 'some', 'none'),
    model('a/all-and-none', 'all', 'none'),
    model('a/keyless-and-none', 'keyless', 'none'),
    model('a/all', 'all'),
    model('a/silent', 'silent'),
  ],
};
const told = (providerId: string, setIn: number, missingIn: number, unknownIn = 0) =>
  ({ providerId, variable: '', setIn, missingIn, unknownIn, models: [] }) satisfies ProviderCredentialMessage;
const configurations = new Configurations(catalog, {
  providers: [told('none', 0, 2), told('some', 1, 1), told('all', 2, 0), told('silent', 0, 0, 2)],
});

describe('a model', () => {
  it('that no provider has the credential to serve is not configured, whatever its traffic was', () => {
    const expected = { status: 'not_configured', configuration: 'not_configured' };
    expect(configurations.ofModel('a/none', 'operational')).toEqual(expected);
    expect(configurations.ofModel('a/none', 'major_outage')).toEqual(expected);
  });

  it('that only some data planes have the credential for is a partial outage, and never better than its traffic', () => {
    for (const id of ['a/some', 'a/some-and-none']) {
      expect(configurations.ofModel(id, 'operational')).toEqual({
        status: 'partial_outage',
        configuration: 'partly_configured',
      });
      expect(configurations.ofModel(id, 'major_outage').status).toBe('major_outage');
    }
  });

  it('that has another provider is as its traffic is', () => {
    for (const id of ['a/all-and-none', 'a/keyless-and-none']) {
      expect(configurations.ofModel(id, 'degraded_performance')).toEqual({
        status: 'degraded_performance',
        configuration: 'partly_configured',
      });
    }
  });

  it.each(['a/all', 'a/silent', 'a/unheard-of'])(
    'of which nothing is known to be missing is as its traffic is: %s',
    (id) => {
      expect(configurations.ofModel(id, 'operational')).toEqual({ status: 'operational' });
      expect(new Configurations(catalog, undefined).ofModel(id, 'operational')).toEqual({
        status: 'operational',
      });
    },
  );
});

describe('a provider', () => {
  it('is a major outage if no data plane has its credential, and a partial one if some lack it', () => {
    expect(configurations.ofProvider('none', 'operational')).toEqual({
      status: 'major_outage',
      configuration: 'not_configured',
    });
    expect(configurations.ofProvider('some', 'operational')).toEqual({
      status: 'partial_outage',
      configuration: 'partly_configured',
    });
    for (const id of ['all', 'keyless', 'silent'])
      expect(configurations.ofProvider(id, 'degraded_performance')).toEqual({
        status: 'degraded_performance',
      });
  });
});
