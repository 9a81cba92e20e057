import { Server } from '@grpc/grpc-js';
import { serverCredentials } from '@model-gateway/contracts';
import {
  closeServer,
  createHttpServer,
  createInternalServer,
  inBackground,
  listen,
  type RunningService,
  reportRefusals,
  startService,
} from '@model-gateway/service-kit';
import { TELEMETRY_CLOSE_MS } from '@model-gateway/telemetry';
import { HealthImplementation } from 'grpc-health-check';
import { logAuditHeads } from './audit/log-audit-heads.ts';
import type { ControlPlaneConfig } from './config.ts';
import { renewContentsKeys } from './contents/renew-contents-keys.ts';
import { type ControlPlaneContext, type ControlPlaneOverrides, createContext } from './context.ts';
import { renewSeals } from './credentials/renew-seals.ts';
import { deleteOutdated } from './delete-outdated.ts';
import { makePartitions } from './make-partitions.ts';
import { createApp } from './management/app.ts';
import { callOperation } from './management/call-operation.ts';
import { checkCaller } from './rpc/check-caller.ts';
import { grpcHandlers } from './rpc/grpc-handlers.ts';
import { createDashboardService, createServices } from './rpc/services.ts';
import { traceCalls } from './rpc/trace-calls.ts';
import { SCIM_PATH } from './scim/scim-resources.ts';
import { scimRouter } from './scim-http/scim-router.ts';

export interface RunningControlPlane extends RunningService {
  grpcPort: number;
  internalPort: number;
  /** Port of the management API. */
  adminPort: number;
}

const HOUSEKEEPING_MS = 60_000;
const HEALTH_MS = 1_000;
const DRAIN_MS = 5_000;
/** Idle connections to the mail server close at once. */
const MAIL_MS = 1_000;
/** Rest of a stop: a statement in progress has 10 s, then connections close. */
const REST_MS = 13_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** @throws when the database is unreachable or lacks migrations, or a port is taken */
export function startControlPlane(
  config: ControlPlaneConfig,
  overrides: ControlPlaneOverrides = {},
): Promise<RunningControlPlane> {
  return startService(async (life) => {
    const context = await createContext(config, overrides);
    const {
      allowanceSweeper,
      catalogFeed,
      credentialFeed,
      deliveryWorker,
      eventChecks,
      followedFeed,
      healthFeed,
      log,
      mailWorker,
      mailer,
      notifications,
      rollUps,
    } = context;
    const { prisma, reads, redis, revocationLog, tombstoneFeed } = context;
    life.parts.defer(() => prisma.$disconnect());
    const { deniedAttempts, limiter, telemetry } = context;
    life.closeInOrder([
      limiter,
      deniedAttempts,
      notifications,
      revocationLog,
      tombstoneFeed,
      redis,
      reads,
      telemetry,
    ]);
    const internal = createInternalServer(life, {
      service: 'control-plane',
      registry: context.registry,
      notReadyBecause: () => notReadyBecause(context),
    });
    const admin = createHttpServer(createApp(context, { [SCIM_PATH]: scimRouter(context) }), {
      onRefused: reportRefusals(log, ({ route, status }) =>
        context.adminObserver.metrics.requests.labels(route, status).inc(),
      ),
    });
    const health = new HealthImplementation({ '': 'NOT_SERVING' });
    const server = createServer(config, context, health);
    life.closeInOrder([
      { close: () => health.setStatus('', 'NOT_SERVING') },
      allowanceSweeper,
      rollUps,
      eventChecks,
      deliveryWorker,
      mailWorker,
      { close: () => mailer.close(MAIL_MS) },
      context.reports,
      context.verifications,
      context.reconciliations,
      { close: () => endStreams(context) },
      { close: () => Promise.all([drain(server), closeServer(admin, DRAIN_MS)]) },
    ]);
    if (config.pepperIsDevelopmentValue) {
      log.warn('API_KEY_LOOKUP_PEPPER is not set: using the development pepper, which anybody can read');
    }
    await context.databaseEpoch.verify();
    await makePartitions(context);
    await renewSeals(context);
    await renewContentsKeys(context);
    tombstoneFeed?.start();
    await notifications.start();
    const internalPort = await internal.listen(config.internalPort, config.host);
    const grpcPort = await bind(server, config);
    const adminPort = await listen(admin, config.adminPort, config.host);
    catalogFeed.start();
    healthFeed.start();
    credentialFeed.start();
    followedFeed.start();
    allowanceSweeper.start();
    rollUps.start();
    eventChecks.start();
    deliveryWorker.start();
    mailWorker.start();
    context.reconciliations.start();
    context.reports.start(grpcPort, () => notReadyBecause(context));
    const reportHealth = () =>
      health.setStatus('', notReadyBecause(context).length === 0 ? 'SERVING' : 'NOT_SERVING');
    const healthTimer = setInterval(reportHealth, HEALTH_MS);
    life.parts.defer(() => clearInterval(healthTimer));
    const housekeeping = setInterval(() => {
      // Finds revocations whose notification was lost.
      revocationLog.wake();
      inBackground(housekeep(context));
      inBackground(context.deniedAttempts.summarize());
      inBackground(logAuditHeads(context));
    }, HOUSEKEEPING_MS);
    life.parts.defer(() => clearInterval(housekeeping));
    inBackground(logAuditHeads(context));
    log.info(
      { port: grpcPort, internal_port: internalPort, admin_port: adminPort },
      'control plane listening',
    );
    return { grpcPort, internalPort, adminPort };
  });
}

async function housekeep(context: ControlPlaneContext): Promise<void> {
  const [, isDone] = await Promise.all([makePartitions(context), deleteOutdated(context)]);
  if (isDone) context.reports.housekeepingDone();
}

/** Moves data planes to another control plane. */
async function endStreams(context: ControlPlaneContext): Promise<void> {
  const {
    catalogFeed,
    credentialFeed,
    drainFeed,
    followedFeed,
    healthFeed,
    keyFeed,
    recallFeed,
    settlementStreams,
  } = context;
  const streams = [
    healthFeed,
    credentialFeed,
    followedFeed,
    settlementStreams,
    keyFeed,
    recallFeed,
    drainFeed,
    catalogFeed,
  ];
  await Promise.all(streams.map((each) => each.close()));
}

function createServer(
  config: ControlPlaneConfig,
  context: ControlPlaneContext,
  health: HealthImplementation,
): Server {
  const traces = context.telemetry?.traces;
  const server = new Server({
    interceptors: [
      ...(traces === undefined ? [] : [traceCalls(traces, config.telemetry?.slowMs ?? 0)]),
      checkCaller({ ...config, adminProof: context.adminProof }, context.deniedAttempts),
    ],
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.keepalive_time_ms': 10_000,
    // As in the client. A busy data plane replies late; its lease decides when it is gone.
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.keepalive_permit_without_calls': 1,
  });
  const dashboard = createDashboardService(context, callOperation);
  for (const { definition, methods } of [...createServices(context).values(), dashboard]) {
    server.addService(definition, grpcHandlers(methods));
  }
  health.addToServer(server);
  return server;
}

function bind(server: Server, config: ControlPlaneConfig): Promise<number> {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${config.port}`, serverCredentials(config.grpcTls), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

function notReadyBecause({ catalogFeed, keyFeed, notifications }: ControlPlaneContext): string[] {
  const reasons: string[] = [];
  if (!catalogFeed.databaseReachable || keyFeed.isBehind) reasons.push('the database cannot be reached');
  else if (!notifications.isListening) reasons.push('database notifications are not connected');
  return reasons;
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, DRAIN_MS);
    server.tryShutdown(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

export function maxStopMs(): number {
  return DRAIN_MS + REST_MS + TELEMETRY_CLOSE_MS;
}
