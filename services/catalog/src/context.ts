import { CatalogWatch, ControlPlaneClient } from '@model-gateway/contracts';
import { connectLimiter } from '@model-gateway/limits';
import { createLogger, createRegistry, createRequestMetrics, type Logger } from '@model-gateway/service-kit';
import { ANONYMOUS_READS_PER_MINUTE, KNOWN_PRICES } from '@model-gateway/shared';
import { CatalogCopy } from './catalog-copy.ts';
import type { CatalogConfig } from './config.ts';
import { TrustedCaller } from './http/trusted-caller.ts';
import { PartMemory } from './status/part-memory.ts';

/** The parts that tests replace. */
export interface CatalogOverrides {
  log?: Logger;
  anonymousReadsPerMinute?: number;
}

export type CatalogContext = ReturnType<typeof createContext>;

/** The composition root: it makes every part once and connects them by hand. */
export function createContext(config: CatalogConfig, overrides: CatalogOverrides = {}) {
  const log = overrides.log ?? createLogger({ service: 'catalog', level: config.logLevel });
  const registry = createRegistry();
  const { redis, limiter } = connectLimiter({
    redisUrl: config.redisUrl,
    expectedReplicas: config.expectedReplicas,
    // This service limits no keys, so it cannot miss a revocation.
    isTrusted: () => true,
    registry,
    log,
  });
  const copy = new CatalogCopy();
  const client = new ControlPlaneClient({
    addresses: config.controlPlaneAddresses,
    token: config.internalToken,
    tls: config.grpcTls,
  });
  const catalogWatch = new CatalogWatch({
    client,
    registry,
    knownPrices: KNOWN_PRICES,
    onCatalog: (catalog) => {
      copy.receive(catalog);
      log.info({ revision: catalog.revision, models: catalog.models.length }, 'catalog received');
    },
    onHealth: (health) => copy.receiveHealth(health),
    onModelHealth: (health) => copy.receiveModelHealth(health),
    onProviderCredentials: (credentials) => copy.receiveProviderCredentials(credentials),
    onUnusable: (error) => log.error({ error }, 'the catalog received cannot be used'),
    onLost: (error) => log.warn({ error: error?.message }, 'catalog watch lost, reconnecting'),
  });
  return {
    log,
    registry,
    copy,
    client,
    catalogWatch,
    redis,
    limiter,
    partMemory: new PartMemory(),
    hidesUpstreams: config.hidesUpstreams,
    anonymousReadsPerMinute: overrides.anonymousReadsPerMinute ?? ANONYMOUS_READS_PER_MINUTE,
    trustedCaller: new TrustedCaller(config.internalToken, config.trustProxy),
    metrics: createRequestMetrics(registry, {
      requests: 'gateway_catalog_requests_total',
      duration: 'gateway_catalog_request_duration_seconds',
    }),
  };
}
