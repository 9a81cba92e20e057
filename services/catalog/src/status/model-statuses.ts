import type { ModelObject, ModelStatusList } from '@model-gateway/shared';
import type { Configurations } from './configurations.ts';
import { type Figures, type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/**
 * One row per model. As long as the control plane has told no figures, not even the number of requests is known.
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
  const figuresOf = (id: string): Omit<Figures, 'requests_5m'> & { requests_5m: number | null } =>
    health === undefined ? { ...NO_TRAFFIC, requests_5m: null } : (health.models.get(id) ?? NO_TRAFFIC);
  return {
    object: 'list',
    data: models.map(({ id }) => {
      const figures = figuresOf(id);
      return {
        id,
        ...figures,
        ...configurations?.ofModel(id, figures.status),
        waiting: health?.waiting.get(id) ?? null,
        updated_at: health?.updatedAt ?? now,
      };
    }),
  };
}
