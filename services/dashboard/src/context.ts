import { ControlPlaneClient } from '@model-gateway/contracts';
import { createPrismaClient } from '@model-gateway/database';
import { Mailer } from '@model-gateway/mail';
import { createLogger, createRegistry, createRequestMetrics, type Logger } from '@model-gateway/service-kit';
import { modelStatusList, statusSummary } from '@model-gateway/shared';
import type { DashboardConfig } from './config.ts';
import { HolderClient } from './control-plane/holder-client.ts';
import { HealthChecks } from './health-checks.ts';
import { ownOrigins } from './http/own-origin.ts';
import { PlaygroundKeys } from './playground/playground-keys.ts';
import { PasskeyStore } from './security/passkey-store.ts';
import { Passkeys } from './security/passkeys.ts';
import { SignInReports } from './security/sign-in-reports.ts';
import { AttemptStore } from './sign-in/attempt-store.ts';
import { HolderAccounts } from './sign-in/holder-accounts.ts';
import { OneTimeTokenStore } from './sign-in/one-time-token-store.ts';
import { SessionStore } from './sign-in/session-store.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { SignInChangeStore } from './sign-in/sign-in-change-store.ts';
import { SignInHousekeeping } from './sign-in/sign-in-housekeeping.ts';
import { UserStore } from './sign-in/user-store.ts';
import { ModelsByPriceList } from './status/models-by-price-list.ts';
import { SharedRead } from './status/shared-read.ts';

/** Parts that tests replace. */
export interface DashboardOverrides {
  log?: Logger;
  /** The folder of the built site. */
  assetsDir?: string;
}

/** Only sign-in uses the database. The control planes' connection budget assumes this number. */
const MAX_CONNECTIONS = 4;

export type DashboardContext = ReturnType<typeof createContext>;

/** Creates every part once and connects them (the composition root). */
export function createContext(config: DashboardConfig, overrides: DashboardOverrides = {}) {
  const log = overrides.log ?? createLogger({ service: 'dashboard', level: config.logLevel });
  const registry = createRegistry();
  const prisma = createPrismaClient(config.databaseUrl, { maxConnections: MAX_CONNECTIONS });
  const client = new ControlPlaneClient({
    addresses: config.controlPlaneAddresses,
    token: config.internalToken,
    tls: config.grpcTls,
  });
  const holder = new HolderClient(client);
  const userStore = new UserStore(prisma);
  const oneTimeTokenStore = new OneTimeTokenStore(prisma);
  const passkeyStore = new PasskeyStore(prisma);
  const { catalogUrl, identityProviders, mail, signUpOpen, ssoOnly, trustProxy } = config;
  const poolNeedsProof = mail !== undefined || identityProviders.length > 0;
  const onlyProviders = ssoOnly ? identityProviders.map(({ id }) => id) : undefined;
  return {
    config,
    log,
    registry,
    prisma,
    client,
    holder,
    userStore,
    trustProxy,
    origins: ownOrigins(config.publicUrl),
    attemptStore: new AttemptStore(prisma),
    oneTimeTokenStore,
    sessionStore: new SessionStore(prisma),
    passkeyStore,
    passkeys: new Passkeys({ config, passkeyStore, oneTimeTokenStore }),
    mailer: new Mailer({ mail, log }),
    signIn: new SignIn({ config, userStore, log }),
    signInHousekeeping: new SignInHousekeeping({ userStore, onlyProviders, log }),
    accounts: new HolderAccounts({ holder, userStore, signUpOpen, poolNeedsProof, log }),
    signInReports: new SignInReports({ holder, signInChangeStore: new SignInChangeStore(prisma), log }),
    playgroundKeys: new PlaygroundKeys({ holder, log }),
    statusRead: new SharedRead({ url: `${catalogUrl}/v1/status`, schema: statusSummary, log }),
    modelStatusRead: new SharedRead({ url: `${catalogUrl}/v1/status/models`, schema: modelStatusList, log }),
    models: new ModelsByPriceList({
      url: `${catalogUrl}/v1/models`,
      internalToken: config.internalToken,
      log,
    }),
    healthChecks: new HealthChecks({ client, userStore }),
    metrics: createRequestMetrics(registry, {
      requests: 'gateway_dashboard_requests_total',
      duration: 'gateway_dashboard_request_duration_seconds',
    }),
  };
}
