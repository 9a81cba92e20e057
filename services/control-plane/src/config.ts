import { mailConfig, mailSettings } from '@model-gateway/mail';
import {
  adminTokenSetting,
  ConfigError,
  checkGrpcTls,
  DEVELOPMENT_PEPPER,
  type Environment,
  GRPC_TLS_PAIR_MESSAGE,
  grpcTlsSettings,
  hostSetting,
  internalTokenSetting,
  isProduction,
  logLevelSetting,
  nodeEnvSetting,
  oldPepperSetting,
  originSetting,
  parseConfig,
  pepperSetting,
  portSetting,
  productNameSetting,
  redisUrlSetting,
  trustProxySetting,
} from '@model-gateway/service-kit';
import { CONCURRENT_STREAMS_PER_KEY } from '@model-gateway/shared';
import { telemetryConfigOf, telemetrySettings } from '@model-gateway/telemetry';
import { z } from 'zod';
import { groupMappingsSetting } from './group-mappings/group-mappings.ts';
import { MAX_INCLUDED_USD, parseIncludedUsd } from './pools/included-usd.ts';
import { reconcileSetting } from './reconciliation/reconcile-setting.ts';
import { webhookNetworksSetting } from './webhooks/webhook-networks.ts';

function postgresUrl(missing?: string) {
  return z
    .string(missing)
    .regex(/^postgres(ql)?:\/\//, 'expected postgresql://user:password@host:port/database');
}

function wholeNumber(pattern: RegExp, range: string) {
  return z.string().regex(pattern, `expected a whole number ${range}`).transform(Number);
}

/** Every setting of the control plane; documented in .env.example. */
export function controlPlaneSettings(production: boolean) {
  return z.object({
    NODE_ENV: nodeEnvSetting,
    HOST: hostSetting(production),
    PORT: portSetting(50051),
    INTERNAL_PORT: portSetting(9051),
    ADMIN_PORT: portSetting(8091),
    TRUST_PROXY: trustProxySetting,
    DATABASE_URL: postgresUrl('is required: the URL of a Postgres database ("npm start" brings its own)'),
    DATABASE_SESSION_URL: postgresUrl().optional(),
    DATABASE_CONNECTIONS: wholeNumber(/^([5-9]|[1-9]\d{1,2})$/, 'from 5 to 999').default(20),
    MAX_CONTROL_PLANES: wholeNumber(/^[1-9]\d{0,2}$/, 'from 1 to 999').default(1),
    INTERNAL_TOKEN: internalTokenSetting(production),
    ADMIN_TOKEN: adminTokenSetting(production),
    API_KEY_LOOKUP_PEPPER: pepperSetting(production),
    API_KEY_LOOKUP_PEPPER_OLD: oldPepperSetting(),
    ...grpcTlsSettings,
    REDIS_URL: redisUrlSetting(false),
    MAX_CONCURRENT_STREAMS: wholeNumber(/^[1-9]\d{0,5}$/, 'of at least 1').default(
      CONCURRENT_STREAMS_PER_KEY,
    ),
    USAGE_RETENTION_DAYS: wholeNumber(/^([2-9]|[1-9]\d{1,4})$/, 'of at least 2').default(400),
    AUDIT_RETENTION_DAYS: wholeNumber(/^[1-9]\d{0,4}$/, 'of at least 1').default(400),
    CONTENTS_ACCOUNT_MB: wholeNumber(/^[1-9]\d{0,6}$/, 'of at least 1').default(1_000),
    SIGNUP_POOL_USD: z
      .string()
      .refine(
        (usd) => parseIncludedUsd(usd) !== undefined,
        `expected US dollars such as 5.00, at most ${MAX_INCLUDED_USD}, with at most nine decimals`,
      )
      .transform((usd) => parseIncludedUsd(usd) ?? 0n)
      .default(0n),
    SIGNUP_POOL_RESETS: z.enum(['monthly', 'never'], 'expected monthly or never').default('never'),
    SSO_GROUPS: groupMappingsSetting.default([]),
    WEBHOOK_NETWORKS: webhookNetworksSetting,
    RECONCILE: reconcileSetting.default([]),
    ...mailSettings,
    PRODUCT_NAME: productNameSetting.default('Model Gateway'),
    PUBLIC_URL: originSetting.optional(),
    ...telemetrySettings,
    LOG_LEVEL: logLevelSetting,
  });
}

export type ControlPlaneConfig = ReturnType<typeof parseControlPlaneConfig>;

export function parseControlPlaneConfig(environment: Environment) {
  const settings = parseConfig(
    controlPlaneSettings(isProduction(environment)).refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE),
    environment,
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    /** Port of the management API. */
    adminPort: settings.ADMIN_PORT,
    /** Decides which peers may name the client's address to the management API. */
    trustProxy: settings.TRUST_PROXY,
    databaseUrl: settings.DATABASE_URL,
    /**
     * Set when `databaseUrl` is a pooler: the URL of Postgres itself, for notifications, cancellable reads
     * and migrations.
     */
    databaseSessionUrl: settings.DATABASE_SESSION_URL,
    /** Maximum connections to Postgres, at least 5. */
    databaseConnections: settings.DATABASE_CONNECTIONS,
    /** Maximum control planes running at once, including one that replaces another. */
    maxControlPlanes: settings.MAX_CONTROL_PLANES,
    internalToken: settings.INTERNAL_TOKEN,
    adminToken: settings.ADMIN_TOKEN,
    pepper: settings.API_KEY_LOOKUP_PEPPER,
    /**
     * The previous pepper, while keys move from it to `pepper`; undefined when no pepper is being replaced.
     */
    oldPepper: settings.API_KEY_LOOKUP_PEPPER_OLD,
    pepperIsDevelopmentValue: settings.API_KEY_LOOKUP_PEPPER === DEVELOPMENT_PEPPER,
    grpcTls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    /** Redis that also gets each revocation; undefined: only the control plane tells data planes. */
    redisUrl: settings.REDIS_URL,
    /** The streams that a key may have open when its account has no own limit. */
    concurrentStreams: settings.MAX_CONCURRENT_STREAMS,
    /** Days, at least 2. */
    usageRetentionDays: settings.USAGE_RETENTION_DAYS,
    /** Days, at least 1. */
    auditRetentionDays: settings.AUDIT_RETENTION_DAYS,
    /** Maximum contents of requests per account. */
    contentsAccountBytes: settings.CONTENTS_ACCOUNT_MB * 1_000_000,
    signupPool: { included: settings.SIGNUP_POOL_USD, resets: settings.SIGNUP_POOL_RESETS },
    /** Roles and seats for groups of identity providers. */
    groupMappings: settings.SSO_GROUPS,
    /** Networks that are not public and to which webhooks may connect all the same. */
    webhookNetworks: settings.WEBHOOK_NETWORKS,
    /** Providers whose bills are compared with the records every day. */
    reconcile: settings.RECONCILE.map((provider) => ({
      ...provider,
      adminKey: requiredKey(provider.admin_key, environment),
    })),
    /** Undefined: no mail is sent. */
    mail: mailConfig(settings, { productName: settings.PRODUCT_NAME, publicUrl: settings.PUBLIC_URL }),
    productName: settings.PRODUCT_NAME,
    /** URL of the dashboard for links in mails; undefined: mails have none. */
    publicUrl: settings.PUBLIC_URL,
    /** Undefined: nothing is exported over OTLP. */
    telemetry: telemetryConfigOf(settings),
    logLevel: settings.LOG_LEVEL,
  };
}

/** @throws ConfigError if the variable is not set */
function requiredKey(variable: string | undefined, environment: Environment): string | undefined {
  if (variable === undefined) return undefined;
  const key = environment[variable];
  if (!key) throw new ConfigError([`RECONCILE names ${variable}, which is not set`]);
  return key;
}
