import { fileURLToPath } from 'node:url';
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
import type { DashboardConfig } from './config.ts';
import { createContext, type DashboardOverrides } from './context.ts';
import { loadSite } from './pages/load-site.ts';

export interface RunningDashboard extends RunningService {
  port: number;
  internalPort: number;
}

const DRAIN_MS = 5_000;
/** The time to disconnect from the database and the control plane. */
const DISCONNECT_MS = 3_000;
const BUILT_SITE = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Starts the service. It listens even without database and control plane, and answers 503 until they are
 * back.
 * @throws when the site is not built, the tables do not fit the sign-in library, or a port is taken
 */
export function startDashboard(
  config: DashboardConfig,
  overrides: DashboardOverrides = {},
): Promise<RunningDashboard> {
  return startService(async (life) => {
    const site = await loadSite(overrides.assetsDir ?? BUILT_SITE, config.product);
    const context = createContext(config, overrides);
    const { client, healthChecks, log, mailer, metrics, prisma, signInHousekeeping, signInReports } = context;
    life.parts.defer(() => prisma.$disconnect());
    life.parts.defer(() => mailer.close(DRAIN_MS));
    life.parts.defer(() => client.close());
    if (config.sessionSecretIsDevelopmentValue) {
      log.warn(
        'SESSION_SECRET is not set: using the development secret, with which anybody can sign in as anybody',
      );
    }
    await context.signIn.check();
    const internal = createInternalServer(life, {
      service: 'dashboard',
      registry: context.registry,
      notReadyBecause: () => healthChecks.reasons,
    });
    life.closeInOrder([signInReports, signInHousekeeping, healthChecks]);
    const server = createHttpServer(createApp(context, site), {
      onRefused: reportRefusals(log, ({ route, status }) => metrics.requests.labels(route, status).inc()),
    });
    life.parts.defer(() => closeServer(server, DRAIN_MS));
    const internalPort = await internal.listen(config.internalPort, config.host);
    await healthChecks.start();
    signInHousekeeping.start();
    signInReports.start();
    const port = await listen(server, config.port, config.host);
    log.info({ port, internal_port: internalPort }, 'dashboard listening');
    return { port, internalPort };
  });
}

/** Returns the maximum time from SIGTERM to exit. Orchestrators must wait longer before SIGKILL. */
export function maxStopMs(): number {
  const mailsMs = DRAIN_MS;
  return DRAIN_MS + mailsMs + DISCONNECT_MS;
}
