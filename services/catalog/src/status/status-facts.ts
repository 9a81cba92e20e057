import type { CatalogContext } from '../context.ts';
import { coreParts } from './core-parts.ts';
import type { StatusFacts } from './summarise-status.ts';

/** What is known now. Notes by the way since when a part is in trouble. @param now Unix seconds */
export function statusFacts(context: CatalogContext, now: number): StatusFacts {
  const { catalogWatch, copy, limiter, partMemory, redis } = context;
  const parts = coreParts({
    controlPlaneLive: catalogWatch.isLive(),
    health: copy.health,
    redisHealthy: redis && limiter.isRedisHealthy,
  });
  partMemory.note(parts, now);
  return {
    parts: parts.map((part) => ({ ...part, since: partMemory.since(part.id) })),
    providers: copy.snapshot?.providers ?? [],
    models: copy.snapshot?.upstreams ?? [],
    modelHealth: copy.modelHealth,
    configurations: copy.snapshot?.configurations,
  };
}
