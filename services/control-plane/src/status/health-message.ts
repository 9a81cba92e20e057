import type { HealthFigures } from './health-figures.ts';

/** Figures as gRPC carries them (proto/gateway/v1/catalog.proto). */
export function healthMessage(
  figures: { models: readonly HealthFigures[]; providers: readonly HealthFigures[] },
  nowMs: number,
) {
  return {
    updatedAt: Math.floor(nowMs / 1_000),
    models: figures.models.map(withoutNulls),
    providers: figures.providers.map(withoutNulls),
  };
}

export type HealthToSend = ReturnType<typeof healthMessage>;

function withoutNulls({
  uptime5m,
  uptime1h,
  uptime24h,
  errorRate5m,
  latencyMs,
  timeToFirstTokenMs,
  ...others
}: HealthFigures) {
  return {
    ...others,
    ...(uptime5m === null ? {} : { uptime5m }),
    ...(uptime1h === null ? {} : { uptime1h }),
    ...(uptime24h === null ? {} : { uptime24h }),
    ...(errorRate5m === null ? {} : { errorRate5m }),
    ...(latencyMs === null ? {} : { latencyMs }),
    ...(timeToFirstTokenMs === null ? {} : { timeToFirstTokenMs }),
  };
}
