import type { HealthState, ModelObject, ModelStatusList } from '@model-gateway/shared';
import type { Configurations } from './configurations.ts';
import { isStale, knownFigures } from './known-figures.ts';
import type { ModelHealth } from './model-health.ts';
import type { Waiting } from './waiting-calls.ts';
import { withConfiguration } from './with-configuration.ts';

/**
 * One row per model. As long as the control plane has told no figures, not even the number of requests is
 * known.
 * @param health what it told last; undefined when it told nothing yet
 * @param now Unix seconds; what it told has its own time
 * @param configurations which models lack the credential of a provider
 */
export function modelStatuses(
  models: readonly ModelObject[],
  health: ModelHealth | undefined,
  now: number,
  configurations?: Pick<Configurations, 'ofModel'>,
): ModelStatusList {
  // Whoever waited when the control plane was last heard has an answer by now, or has left.
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

/** Whose calls wait for an answer is asked for, although no answer has come for five minutes. */
function withWaiting<Figures extends { state: HealthState; sentence: string | null }>(
  figures: Figures,
  waiting: Waiting | null,
): Figures {
  if (waiting === null || figures.state !== 'no_traffic') return figures;
  return { ...figures, state: 'unknown', sentence: 'Calls wait for an answer, and none has come lately.' };
}
