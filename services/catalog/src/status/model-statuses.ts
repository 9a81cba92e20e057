import type { ModelObject, ModelStatusList } from '@model-gateway/shared';

/** One row per model. Requests are not measured by this service yet: every figure is null, none is invented. */
export function modelStatuses(models: readonly ModelObject[], now: number): ModelStatusList {
  return {
    object: 'list',
    data: models.map(({ id, status }) => ({
      id,
      status,
      uptime_5m: null,
      uptime_1h: null,
      uptime_24h: null,
      error_rate_5m: null,
      latency_ms: null,
      time_to_first_token_ms: null,
      requests_5m: null,
      updated_at: now,
    })),
  };
}
