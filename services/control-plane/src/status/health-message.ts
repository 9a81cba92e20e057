import type { HealthWords } from './describe-health.ts';
import type { HealthFigures } from './health-figures.ts';

export interface DescribedHealth extends HealthFigures, HealthWords {
  since: Date | undefined;
}

export function healthMessage(
  described: { models: readonly DescribedHealth[]; providers: readonly DescribedHealth[] },
  nowMs: number,
) {
  return {
    updatedAt: Math.floor(nowMs / 1_000),
    models: described.models.map(figuresMessage),
    providers: described.providers.map(figuresMessage),
  };
}

export type HealthToSend = ReturnType<typeof healthMessage>;

/** Field names (uptime…) are those that earlier data planes and catalog services know. */
function figuresMessage(described: DescribedHealth) {
  const { counts, errorRate5m, id, lastMinute, latencyMs, sentence, since, state, status } = described;
  const { success5m, success1h, success24h, timeToFirstTokenMs } = described;
  return {
    id,
    status,
    state,
    requests5m: counts.requests,
    gaveUp5m: counts.gaveUp,
    ...(success5m === null ? {} : { uptime5m: success5m }),
    ...(success1h === null ? {} : { uptime1h: success1h }),
    ...(success24h === null ? {} : { uptime24h: success24h }),
    ...(errorRate5m === null ? {} : { errorRate5m }),
    ...(latencyMs === null ? {} : { latencyMs }),
    ...(timeToFirstTokenMs === null ? {} : { timeToFirstTokenMs }),
    ...(sentence === null ? {} : { sentence }),
    ...(since === undefined ? {} : { since: unixSeconds(since) }),
    ...(lastMinute === undefined ? {} : { lastTrafficAt: unixSeconds(lastMinute.minute) }),
  };
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
