import { Gauge, type Registry } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { ProviderBreakers } from './provider-breakers.ts';
import type { ProviderCredentials } from './provider-credentials.ts';

export interface ProviderMetricsOptions {
  providers: () => Iterable<RoutedProvider>;
  breakers: Pick<ProviderBreakers, 'isOpen'>;
  credentials: Pick<ProviderCredentials, 'states'>;
}

/** Adds gauges of every provider of the catalog, also unused ones; computed when read. */
export function addProviderMetrics(
  registry: Registry,
  { breakers, credentials, providers }: ProviderMetricsOptions,
): void {
  const registers = [registry];
  new Gauge({
    name: 'gateway_provider_breaker_open',
    help: '1 while the circuit breaker of a provider or of one of its models is open, because too many attempts failed.',
    registers,
    labelNames: ['provider'] as const,
    collect() {
      this.reset();
      for (const { id } of providers()) this.set({ provider: id }, breakers.isOpen(id) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'gateway_provider_credentials',
    help: 'Credentials of a provider: usable, limited or refused by it (those rest), or missing here.',
    registers,
    labelNames: ['provider', 'state'] as const,
    collect() {
      this.reset();
      for (const provider of providers()) {
        for (const [state, count] of Object.entries(credentials.states(provider))) {
          this.set({ provider: provider.id, state }, count);
        }
      }
    },
  });
}
