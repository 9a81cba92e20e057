import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

/** Returns settings with which no circuit breaker opens, for a provider that fails on purpose. */
export function withoutBreakers() {
  return { breakers: new ProviderBreakers(Number.POSITIVE_INFINITY) };
}
