import {
  closeServer,
  createHttpServer,
  listen,
  type RunningService,
  reportRefusals,
  startInternalServer,
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
/** To close what is left when nobody is served any more. */
const REST_MS = 1_000;
/** Without it the service starts as well: limits are then counted in memory. */
const REDIS_READY_MS = 1_000;
/** How often it is noted which parts are in trouble. */
const NOTE_MS = 1_000;

/**
 * Starts the service. It listens at once and heals by itself when the control plane comes. @throws when a
 * port is taken
 */
export async function startCatalog(
  config: CatalogConfig,
  overrides: CatalogOverrides = {},
): Promise<RunningCatalog> {
  const context = createContext(config, overrides);
  const { log } = context;
  let draining = false;
  await context.redis?.whenReady(REDIS_READY_MS);
  const server = createHttpServer(createApp(context), {
    trustedRequestId: (req) => context.trustedCaller.requestId(req),
    onRefused: reportRefusals(log, ({ route, status }) => context.metrics.requests.inc({ route, status })),
  });
  await using starting = new AsyncDisposableStack();
  const port = await listen(server, config.port, config.host);
  starting.defer(() => closeServer(server, 0));
  const internal = await startInternalServer({
    service: 'catalog',
    port: config.internalPort,
    host: config.host,
    registry: context.registry,
    notReadyBecause: () => [
      ...(draining ? ['shutting down'] : []),
      ...(context.copy.snapshot === undefined ? ['no catalog from the control plane yet'] : []),
    ],
  });
  starting.move();
  context.catalogWatch.start();
  // A trouble is dated by when it began, also when nobody reads the status then.
  const noting = setInterval(() => statusFacts(context, Math.floor(Date.now() / 1_000)), NOTE_MS);
  log.info({ port, internal_port: internal.port }, 'catalog listening');
  return {
    port,
    internalPort: internal.port,
    async close() {
      draining = true;
      clearInterval(noting);
      await closeServer(server, DRAIN_MS);
      context.catalogWatch.close();
      context.client.close();
      context.limiter.close();
      context.redis?.close();
      await internal.close();
    },
  };
}

/** From SIGTERM to the end: orchestrators must wait longer before they kill. */
export function maxStopMs(): number {
  return DRAIN_MS + REST_MS;
}
