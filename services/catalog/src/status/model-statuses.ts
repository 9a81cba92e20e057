import type { HealthState, ModelObject, ModelStatusList } from '@model-gateway/shared';
import type { Configurations } from './configurations.ts';
import { isStale, knownFigures } from './known-figures.ts';
import type { ModelHealth } from './model-health.ts';
import type { Waiting } from './waiting-calls.ts';
import { withConfiguration } from './with-configuration.ts';

/**
 * Returns one row per model. Until the control plane has sent figures, not even the number of requests is
 * known.
 * @param health the last figures of the control plane; undefined when none have come
 * @param now Unix seconds; the figures have their own time
 * @param configurations which models lack the credential of a provider
 */
export function modelStatuses(
  models: readonly ModelObject[],
  health: ModelHealth | undefined,
  now: number,
  configurations?: Pick<Configurations, 'ofModel'>,
): ModelStatusList {
  // Calls that waited when the control plane was last heard have been answered by now, or their callers have
  // left.
  const waitingNow = health === undefined || isStale(health, now) ? undefined : health.waiting;
  return {
    object: 'list',
    data: models.map(({ id }) => {
      const waiting = waitingNow?.get(id) ?? null;
      const figures = withWaiting(knownFigures(health, health?.models.get(id), now), waiting);
      return {
        id,
        ...withConfiguration(
          figures,
          configurations?.ofModel(id, figures.status) ?? { status: figures.status },
        ),
        waiting,
        updated_at: health?.updatedAt ?? now,
      };
    }),
  };
}

/** A model with waiting calls has traffic, although no response has come for five minutes. */
function withWaiting<Figures extends { state: HealthState; sentence: string | null }>(
  figures: Figures,
  waiting: Waiting | null,
): Figures {
  if (waiting === null || figures.state !== 'no_traffic') return figures;
  return { ...figures, state: 'unknown', sentence: 'Calls wait for an answer, and none has come lately.' };
}
