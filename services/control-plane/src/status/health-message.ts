import { omitAbsent } from '../omit-absent.ts';
import type { HealthDescription } from './describe-health.ts';
import type { HealthFigures } from './health-figures.ts';

export interface DescribedHealth extends HealthFigures, HealthDescription {
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
  const { requests24h, success5m, success1h, success24h, timeToFirstTokenMs } = described;
  return {
    id,
    status,
    state,
    requests5m: counts.requests,
    requests24h,
    gaveUp5m: counts.gaveUp,
    ...omitAbsent({
      uptime5m: success5m,
      uptime1h: success1h,
      uptime24h: success24h,
      since: since && unixSeconds(since),
      lastTrafficAt: lastMinute && unixSeconds(lastMinute.minute),
      ...{ errorRate5m, latencyMs, sentence, timeToFirstTokenMs },
    }),
  };
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
