import type { CatalogWatch } from '@model-gateway/contracts';
import { type CoreFacts, coreParts } from './core-parts.ts';
import type { PartMemory } from './part-memory.ts';
import type { StatusFacts } from './summarise-status.ts';

export interface StatusFactsContext {
  catalogWatch: Pick<CatalogWatch, 'isLive'>;
  /** The copy of the catalog, and what came with it. */
  copy: {
    health: CoreFacts['health'];
    modelHealth: StatusFacts['modelHealth'];
    snapshot:
      | ({ upstreams: StatusFacts['models'] } & Pick<StatusFacts, 'providers' | 'configurations'>)
      | undefined;
  };
  limiter: { isRedisHealthy: boolean };
  partMemory: PartMemory;
  redis: object | undefined;
  /** True: the status names failing models instead of providers. */
  hidesUpstreams: boolean;
}

/** Collects the facts for the status, and updates `partMemory`. @param now Unix seconds */
export function statusFacts(context: StatusFactsContext, now: number): StatusFacts {
  const { catalogWatch, copy, hidesUpstreams, limiter, partMemory, redis } = context;
  const parts = coreParts({
    controlPlaneLive: catalogWatch.isLive(),
    health: copy.health,
    redisHealthy: redis && limiter.isRedisHealthy,
  });
  partMemory.update(parts, now);
  return {
    parts: parts.map((part) => ({ ...part, since: partMemory.since(part.id) })),
    providers: (hidesUpstreams ? undefined : copy.snapshot?.providers) ?? [],
    models: copy.snapshot?.upstreams ?? [],
    modelHealth: copy.modelHealth,
    configurations: copy.snapshot?.configurations,
  };
}
