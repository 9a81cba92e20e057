import { Gauge, type Registry } from '@model-gateway/service-kit';
import type { WaitingCalls } from './waiting-calls.ts';

/** Adds metrics of waiting calls, computed when read. Models are those of the catalog. */
export function addWaitingMetrics(registry: Registry, waiting: () => readonly WaitingCalls[]): void {
  const gauge = (name: string, help: string, value: (of: WaitingCalls) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['provider', 'model'] as const,
      collect() {
        this.reset();
        for (const of of waiting()) this.set({ provider: of.providerId, model: of.modelId }, value(of));
      },
    });
  gauge(
    'gateway_waiting_calls',
    'Calls that have had nothing from the provider yet that could be passed on.',
    ({ calls }) => calls,
  );
  gauge(
    'gateway_longest_waiting_call_seconds',
    'How long the one of them that waits the longest has waited.',
    ({ longestMs }) => longestMs / 1_000,
  );
}
