import type { ModelObject, ModelStatusList } from '@model-gateway/shared';
import { type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/**
 * One row per model. As long as the control plane has told no figures, not even the number of requests is known.
 * @param health what it told last; undefined when it told nothing yet
 * @param now Unix seconds; what it told has its own time
 */
export function modelStatuses(
  models: readonly ModelObject[],
  health: ModelHealth | undefined,
  now: number,
): ModelStatusList {
  return {
    object: 'list',
    data: models.map(({ id }) => ({
      id,
      ...(health === undefined
        ? { ...NO_TRAFFIC, requests_5m: null }
        : (health.models.get(id) ?? NO_TRAFFIC)),
      waiting: health?.waiting.get(id) ?? null,
      updated_at: health?.updatedAt ?? now,
    })),
  };
}
