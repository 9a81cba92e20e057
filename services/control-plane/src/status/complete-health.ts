import type { HealthToSend } from './health-message.ts';

const NO_TRAFFIC = {
  status: 'operational' as const,
  state: 'no_traffic' as const,
  sentence: 'No traffic so far.',
  requests5m: 0,
  requests24h: 0,
  gaveUp5m: 0,
};

/** Returns figures for exactly the models and providers of the catalog, in its order. */
export function completeHealth(
  health: HealthToSend,
  catalog: { providers: readonly { id: string }[]; models: readonly { id: string }[] },
): HealthToSend {
  return {
    ...health,
    models: complete(health.models, catalog.models),
    providers: complete(health.providers, catalog.providers),
  };
}

function complete(
  figures: HealthToSend['models'],
  inForce: readonly { id: string }[],
): HealthToSend['models'] {
  const byId = new Map(figures.map((each) => [each.id, each]));
  return inForce.map(({ id }) => byId.get(id) ?? { id, ...NO_TRAFFIC });
}
