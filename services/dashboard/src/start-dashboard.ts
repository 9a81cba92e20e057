import { fileURLToPath } from 'node:url';
import {
  closeServer,
  createHttpServer,
  listen,
  type RunningService,
  reportRefusals,
  startInternalServer,
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
/** The time to close the connections to the database after the last request. */
const REST_MS = 3_000;
const BUILT_SITE = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Starts the service. It listens at once. Without the database or a control plane it answers 503 until they
 * are back.
 * @throws when the site is not built, the tables do not fit the sign-in library, or a port is taken
 */
export async function startDashboard(
  config: DashboardConfig,
  overrides: DashboardOverrides = {},
): Promise<RunningDashboard> {
  const site = await loadSite(overrides.assetsDir ?? BUILT_SITE);
  await using starting = new AsyncDisposableStack();
  const context = createContext(config, overrides);
  const { client, healthChecks, log, mailer, prisma, signInHousekeeping } = context;
  starting.defer(() => prisma.$disconnect());
  starting.defer(() => mailer.close(DRAIN_MS));
  starting.defer(() => client.close());
  if (config.sessionSecretIsDevelopmentValue) {
    log.warn(
      'SESSION_SECRET is not set: using the development secret, with which anybody can sign in as anybody',
    );
  }
  await context.signIn.check();
  let draining = false;
  const server = createHttpServer(createApp(context, site), {
    onRefused: reportRefusals(log, ({ route, status }) => context.metrics.requests.inc({ route, status })),
  });
  const internal = await startInternalServer({
    service: 'dashboard',
    port: config.internalPort,
    host: config.host,
    registry: context.registry,
    notReadyBecause: () => [...(draining ? ['shutting down'] : []), ...healthChecks.reasons],
  });
  starting.defer(() => internal.close());
  starting.defer(() => healthChecks.close());
  await healthChecks.start();
  starting.defer(() => signInHousekeeping.close());
  signInHousekeeping.start();
  const port = await listen(server, config.port, config.host);
  starting.defer(() => closeServer(server, DRAIN_MS));
  log.info({ port, internal_port: internal.port }, 'dashboard listening');
  const running = starting.move();
  return {
    port,
    internalPort: internal.port,
    close() {
      draining = true;
      return running.disposeAsync();
    },
  };
}

/** The longest time from SIGTERM to the end. Orchestrators must wait longer before they kill the process. */
export function maxStopMs(): number {
  const mailsMs = DRAIN_MS;
  return DRAIN_MS + mailsMs + REST_MS;
}
