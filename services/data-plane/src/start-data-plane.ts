import { setTimeout as wait } from 'node:timers/promises';
import {
  closeServer,
  createHttpServer,
  FAILURE_DRAIN_MS,
  listen,
  type RunningService,
  reportRefusals,
  type StopOptions,
  startInternalServer,
} from '@model-gateway/service-kit';
import { createApp } from './app.ts';
import type { DataPlaneConfig } from './config.ts';
import { createContext, type DataPlaneOverrides } from './context.ts';

export interface RunningDataPlane extends RunningService {
  port: number;
  internalPort: number;
}

/** How long answers may take to reach clients after everything that was open has been ended. */
const LAST_BYTES_MS = 500;
const REDIS_READY_MS = 1_000;
/** How long the control plane may take to acknowledge the last requests: long enough for it to restart. */
const MAX_SETTLE_MS = 15_000;
const MIN_SETTLE_MS = 2_000;
/**
 * For the last calls to the control plane, which give money and leases back: each has a deadline of a second
 * or less.
 */
const GIVE_BACK_MS = 5_000;

/**
 * Starts a data plane. It listens at once and answers 503 where it cannot serve yet; readiness tells load
 * balancers when to send traffic. @throws when a port is taken
 */
export async function startDataPlane(
  config: DataPlaneConfig,
  overrides: DataPlaneOverrides = {},
): Promise<RunningDataPlane> {
  const context = createContext(config, overrides);
  const { log } = context;
  if (config.pepperIsDevelopmentValue) {
    log.warn('API_KEY_LOOKUP_PEPPER is not set: using the development pepper, which anybody can read');
  }
  // Without it the service starts as well: limits are then counted in memory.
  await context.redis?.whenReady(REDIS_READY_MS);
  const server = createHttpServer(createApp(context), {
    onRefused: reportRefusals(log, ({ route, status, code }) =>
      context.metrics.requests.labels(route, status, code).inc(),
    ),
  });
  await using starting = new AsyncDisposableStack();
  const port = await listen(server, config.port, config.host);
  starting.defer(() => closeServer(server, 0));
  const internal = await startInternalServer({
    service: 'data-plane',
    port: config.internalPort,
    host: config.host,
    registry: context.registry,
    notReadyBecause: () => context.notReadyBecause(),
  });
  starting.move();
  context.catalogWatch.start();
  context.keyWatch.start();
  context.lapsedLease.start();
  context.settlement.start();
  context.allowances.start();
  context.checkpoints.start();
  context.streamLeases.start();
  context.providerProbes.start();
  context.waitingReports.start();
  log.info({ port, internal_port: internal.port }, 'data plane listening');
  return {
    port,
    internalPort: internal.port,
    async close({ afterFailure }: StopOptions = { afterFailure: false }) {
      context.drain.started = true;
      const drainMs = afterFailure
        ? Math.min(config.drainTimeoutMs, FAILURE_DRAIN_MS)
        : config.drainTimeoutMs;
      if (!afterFailure) await wait(config.drainNoticeMs);
      const cut = setTimeout(() => context.openRequests.cutAll(), drainMs);
      await closeServer(server, drainMs + LAST_BYTES_MS);
      clearTimeout(cut);
      context.providerProbes.close();
      context.waitingReports.close();
      context.streamLeases.close();
      await context.jsonTurns.close();
      context.limiter.close();
      context.redis?.close();
      context.checkpoints.close();
      await Promise.all([
        context.settlement.close(afterFailure ? MIN_SETTLE_MS : settleMs(config)),
        context.refusals.close(),
      ]);
      await context.allowances.close();
      context.lapsedLease.close();
      await context.keyWatch.close();
      context.catalogWatch.close();
      await context.pools.close();
      context.catalogProxy.close();
      context.controlPlane.close();
      context.catalogClient.close();
      context.billingClient.close();
      context.allowanceClient.close();
      await internal.close();
    },
  };
}

/**
 * Settling may take as long as draining, within bounds: whoever configures a short drain wants the whole stop
 * to be short.
 */
function settleMs({ drainTimeoutMs }: DataPlaneConfig): number {
  return Math.max(MIN_SETTLE_MS, Math.min(MAX_SETTLE_MS, drainTimeoutMs));
}

/** From SIGTERM to the end: orchestrators must wait longer before they kill. */
export function maxStopMs(config: DataPlaneConfig): number {
  const { drainNoticeMs, drainTimeoutMs } = config;
  return drainNoticeMs + drainTimeoutMs + LAST_BYTES_MS + settleMs(config) + GIVE_BACK_MS;
}
