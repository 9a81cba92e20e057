import { describe, expect, it } from 'vitest';
import { modelConfiguration, providerConfiguration } from './configuration.ts';

describe('a provider', () => {
  it.each([
    [{ setIn: 2, missingIn: 0, unknownIn: 0 }, 'configured'],
    [{ setIn: 1, missingIn: 1, unknownIn: 0 }, 'partly_configured'],
    [{ setIn: 0, missingIn: 2, unknownIn: 0 }, 'not_configured'],
  ] as const)('is configured as far as data planes have its credential: %j', (counts, configuration) => {
    expect(providerConfiguration(counts)).toBe(configuration);
  });

  it.each([
    [{ setIn: 0, missingIn: 0, unknownIn: 2 }, 'unknown'],
    [{ setIn: 0, missingIn: 0, unknownIn: 0 }, 'unknown'],
    [{ setIn: 1, missingIn: 0, unknownIn: 1 }, 'configured'],
    [{ setIn: 0, missingIn: 1, unknownIn: 1 }, 'partly_configured'],
  ] as const)('is not called unconfigured because a data plane says nothing: %j', (counts, configuration) => {
    expect(providerConfiguration(counts)).toBe(configuration);
  });
});

describe('a model', () => {
  it.each([
    [['not_configured'], 'not_configured'],
    [['not_configured', 'not_configured'], 'not_configured'],
    [['configured', 'not_configured'], 'partly_configured'],
    [['unknown', 'not_configured'], 'partly_configured'],
    [['partly_configured'], 'partly_configured'],
    [['configured', 'unknown'], 'unknown'],
    [['configured', 'configured'], 'configured'],
    [[], 'unknown'],
  ] as const)('whose upstreams are %j is %s', (upstreams, configuration) => {
    expect(modelConfiguration(upstreams)).toBe(configuration);
  });
});
