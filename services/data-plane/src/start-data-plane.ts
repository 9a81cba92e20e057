import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  closeServer,
  createHttpServer,
  createInternalServer,
  FAILURE_DRAIN_MS,
  listen,
  type RunningService,
  reportRefusals,
  type StopOptions,
  startService,
} from '@model-gateway/service-kit';
import { TELEMETRY_CLOSE_MS } from '@model-gateway/telemetry';
import { createApp } from './app.ts';
import { writeErrorAt } from './chat/caller-at.ts';
import type { DataPlaneConfig } from './config.ts';
import { createContext, type DataPlaneContext, type DataPlaneOverrides } from './context.ts';
import { responsesWebSocket } from './routes/responses-websocket.ts';

export interface RunningDataPlane extends RunningService {
  port: number;
  internalPort: number;
}

/** How long responses may take to reach clients after all requests were cut. */
const LAST_BYTES_MS = 500;
const REDIS_READY_MS = 1_000;
/** How long the control plane may take to acknowledge the last requests: enough for its restart. */
const MAX_SETTLE_MS = 15_000;
const MIN_SETTLE_MS = 2_000;
/** For the last calls, which return money and leases, each within a second. */
const GIVE_BACK_MS = 5_000;

/**
 * Starts a data plane. It listens at once and answers 503 until it can serve; load balancers wait for
 * readiness.
 * @throws if a port is taken
 */
export function startDataPlane(
  config: DataPlaneConfig,
  overrides: DataPlaneOverrides = {},
): Promise<RunningDataPlane> {
  return startService(async (life) => {
    const context = createContext(config, overrides);
    const { log, metrics, redis, refusals, settlement } = context;
    if (config.pepperIsDevelopmentValue) {
      log.warn('API_KEY_LOOKUP_PEPPER is not set: using the development pepper, which anybody can read');
    }
    const internal = createInternalServer(life, {
      service: 'data-plane',
      registry: context.registry,
      notReadyBecause: () => context.notReadyBecause(),
    });
    const server: Server = createHttpServer(createApp(context), {
      upgrade: responsesWebSocket(context, () => server),
      onRefused: reportRefusals(log, ({ route, status, code }) =>
        metrics.requests.labels(route, status, code).inc(),
      ),
      writeError: writeErrorAt,
    });
    life.closeInOrder([
      { close: () => drain(server, context, config, life.stop) },
      context.adoptedResponses,
      context.backgroundResponses,
      context.providerProbes,
      context.providerReports,
      context.waitingReports,
      context.reports,
      context.streamLeases,
      context.jsonQueue,
      context.tokenCounts,
      context.recordings,
      context.limiter,
      redis,
      context.storedResponses,
      context.replays,
      context.checkpoints,
      context.heldRequests,
      {
        close: () =>
          Promise.all([
            settlement.close(settleMs(config, life.stop)),
            refusals.close(),
            context.contentsReports.close(),
          ]),
      },
      context.allowances,
      context.lapsedLease,
      context.keyWatch,
      context.catalogWatch,
      context.pools,
      context.egress,
      context.catalogProxy,
      context.controlPlane,
      context.catalogClient,
      context.billingClient,
      context.allowanceClient,
      context.contentsClient,
      context.telemetry,
    ]);
    // Open all connections in parallel, before the first request.
    context.catalogWatch.start();
    context.keyWatch.start();
    settlement.start();
    context.allowances.start();
    context.allowanceClient.connect();
    // The service also starts without Redis, and counts limits in memory.
    await Promise.all([
      redis?.whenReady(REDIS_READY_MS),
      context.storedResponses?.whenReady(REDIS_READY_MS),
      context.replays.whenReady?.(REDIS_READY_MS),
    ]);
    const port = await listen(server, config.port, config.host);
    context.lapsedLease.start();
    context.checkpoints.start();
    context.heldRequests.start();
    context.streamLeases.start();
    context.providerProbes.start();
    context.providerReports.start();
    context.waitingReports.start();
    context.reports.start(port);
    // Last, because readiness attracts requests to the other port.
    const internalPort = await internal.listen(config.internalPort, config.host);
    log.info({ port, internal_port: internalPort }, 'data plane listening');
    return { port, internalPort };
  });
}

/**
 * Lets open requests end in time, also those that go on without their clients, then cuts them.
 * @param stop undefined: the service has not started, so there are none
 */
async function drain(
  server: Server,
  { drain, openRequests, readingOn, replays, webSockets }: DataPlaneContext,
  { drainNoticeMs, drainTimeoutMs }: DataPlaneConfig,
  stop: StopOptions | undefined,
): Promise<void> {
  if (stop === undefined) return await closeServer(server, 0);
  drain.stop();
  const drainMs = stop.afterFailure ? Math.min(drainTimeoutMs, FAILURE_DRAIN_MS) : drainTimeoutMs;
  if (!stop.afterFailure) await wait(drainNoticeMs);
  webSockets?.drain(true);
  const cut = setTimeout(() => {
    openRequests.cutAll();
    readingOn.cutAll();
  }, drainMs);
  await closeServer(server, drainMs + LAST_BYTES_MS);
  await Promise.all([readingOn.whenIdle(), replays.whenIdle?.()]);
  clearTimeout(cut);
}

/** Returns how long settling may take: as long as draining, within bounds. */
function settleMs({ drainTimeoutMs }: DataPlaneConfig, stop: StopOptions | undefined): number {
  if (stop === undefined || stop.afterFailure) return MIN_SETTLE_MS;
  return Math.max(MIN_SETTLE_MS, Math.min(MAX_SETTLE_MS, drainTimeoutMs));
}

/** Returns the time from SIGTERM to the end. Orchestrators must wait longer before they kill. */
export function maxStopMs(config: DataPlaneConfig): number {
  const { drainNoticeMs, drainTimeoutMs, telemetry } = config;
  const settlingMs = settleMs(config, { afterFailure: false });
  const exportMs = telemetry === undefined ? 0 : TELEMETRY_CLOSE_MS;
  return drainNoticeMs + drainTimeoutMs + LAST_BYTES_MS + settlingMs + GIVE_BACK_MS + exportMs;
}
