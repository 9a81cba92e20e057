import {
  closeServer,
  createHttpServer,
  createInternalServer,
  listen,
  type RunningService,
  reportRefusals,
  startService,
} from '@model-gateway/service-kit';
import { createApp } from './app.ts';
import type { CatalogConfig } from './config.ts';
import { type CatalogOverrides, createContext } from './context.ts';
import { statusFacts } from './status/status-facts.ts';

export interface RunningCatalog extends RunningService {
  port: number;
  internalPort: number;
}

const DRAIN_MS = 5_000;
/** How long the other parts may take to close, after the last response. */
const CLOSE_PARTS_MS = 1_000;
/** If Redis does not respond in this time, the service starts anyway and counts limits in memory. */
const REDIS_READY_MS = 1_000;
/** How often this service checks which parts are in trouble. */
const CHECK_PARTS_MS = 1_000;

/**
 * Starts the service. It listens at once, and is ready as soon as the control plane responds.
 * @throws when a port is taken
 */
export function startCatalog(
  config: CatalogConfig,
  overrides: CatalogOverrides = {},
): Promise<RunningCatalog> {
  return startService(async (life) => {
    const context = createContext(config, overrides);
    const { catalogWatch, client, copy, limiter, log, metrics, redis, trustedCaller } = context;
    const internal = createInternalServer(life, {
      service: 'catalog',
      registry: context.registry,
      notReadyBecause: () => (copy.snapshot === undefined ? ['no catalog from the control plane yet'] : []),
    });
    life.closeInOrder([catalogWatch, client, limiter, redis]);
    const server = createHttpServer(createApp(context), {
      trustedRequestId: (req) => trustedCaller.requestId(req),
      onRefused: reportRefusals(log, ({ route, status }) => metrics.requests.labels(route, status).inc()),
    });
    life.parts.defer(() => closeServer(server, DRAIN_MS));
    await redis?.whenReady(REDIS_READY_MS);
    const internalPort = await internal.listen(config.internalPort, config.host);
    const port = await listen(server, config.port, config.host);
    catalogWatch.start();
    // Records when a trouble begins, even if nobody reads the status then.
    const checks = setInterval(() => statusFacts(context, Math.floor(Date.now() / 1_000)), CHECK_PARTS_MS);
    life.parts.defer(() => clearInterval(checks));
    log.info({ port, internal_port: internalPort }, 'catalog listening');
    return { port, internalPort };
  });
}

/** The longest time from SIGTERM to the end. Orchestrators must wait longer before they kill. */
export function maxStopMs(): number {
  return DRAIN_MS + CLOSE_PARTS_MS;
}
