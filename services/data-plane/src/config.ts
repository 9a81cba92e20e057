import {
  addressListSetting,
  checkGrpcTls,
  DEVELOPMENT_PEPPER,
  type Environment,
  expectedReplicasSetting,
  GRPC_TLS_PAIR_MESSAGE,
  type GrpcTls,
  grpcTlsSettings,
  hostSetting,
  internalTokenSetting,
  isProduction,
  logLevelSetting,
  nodeEnvSetting,
  oldPepperSetting,
  parseConfig,
  pepperSetting,
  portSetting,
  redisUrlSetting,
  type TrustProxy,
  trustProxySetting,
} from '@model-gateway/service-kit';
import { isReservedVariable, MAX_FORM_BYTES, MAX_JSON_BODY_BYTES } from '@model-gateway/shared';
import { z } from 'zod';
import {
  checkStateKey,
  checkStateRedis,
  type ResponsesState,
  responsesStateOf,
  responsesStateSettings,
  STATE_KEY_MESSAGE,
  STATE_REDIS_MESSAGE,
} from './stored-responses/state-settings.ts';

/** Every setting of the data plane; documented in .env.example. */
export function dataPlaneSettings(production: boolean) {
  return z.object({
    NODE_ENV: nodeEnvSetting,
    HOST: hostSetting(production),
    PORT: portSetting(8080),
    INTERNAL_PORT: portSetting(9080),
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    CATALOG_URL: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .default('http://127.0.0.1:8081'),
    INTERNAL_TOKEN: internalTokenSetting(production),
    API_KEY_LOOKUP_PEPPER: pepperSetting(production),
    API_KEY_LOOKUP_PEPPER_OLD: oldPepperSetting(),
    ...grpcTlsSettings,
    REDIS_URL: redisUrlSetting(production),
    EXPECTED_REPLICAS: expectedReplicasSetting,
    KEY_CACHE_GRACE_MS: z
      .string()
      .regex(/^\d{1,6}$/, 'expected milliseconds')
      .transform(Number)
      .default(10_000),
    SETTLEMENT: z
      .enum(['background', 'acknowledged'], 'expected "background" or "acknowledged"')
      .default('background'),
    PROVIDER_PROBE_INTERVAL_MS: z
      .string()
      .regex(/^\d{1,7}$/, 'expected milliseconds')
      .transform(Number)
      .pipe(z.int().min(1_000, 'expected at least 1000').max(3_600_000, 'expected at most 3600000'))
      .optional(),
    ...responsesStateSettings,
    TRUST_PROXY: trustProxySetting,
    CORS_ORIGINS: z
      .string()
      .transform((text) => text.split(',').map((origin) => origin.trim()))
      .pipe(
        z.array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'expected an origin such as https://app.example')),
      )
      .default([]),
    DRAIN_TIMEOUT_MS: z
      .string()
      .regex(/^\d{1,7}$/, 'expected milliseconds')
      .transform(Number)
      .default(30_000),
    LOG_LEVEL: logLevelSetting,
  });
}

export interface DataPlaneConfig {
  host: string;
  port: number;
  internalPort: number;
  controlPlaneAddresses: readonly string[];
  catalogUrl: string;
  internalToken: string;
  pepper: string;
  /** The previous pepper, while keys move to the new one; undefined: none. */
  oldPepper: string | undefined;
  pepperIsDevelopmentValue: boolean;
  grpcTls: GrpcTls;
  redisUrl: string | undefined;
  expectedReplicas: number;
  /** How long cached keys are accepted while Redis responds and no control plane does. */
  keyCacheGraceMs: number;
  /** `acknowledged`: a response ends only after its cost is committed. */
  settlement: 'background' | 'acknowledged';
  /** How often providers are probed; undefined: never. */
  providerProbeIntervalMs: number | undefined;
  /** Storage of responses of translated models; undefined: off. */
  responsesState: ResponsesState | undefined;
  trustProxy: TrustProxy;
  corsOrigins: readonly string[];
  maxJsonBodyBytes: number;
  maxFormBytes: number;
  /** How long open requests may run after SIGTERM. */
  drainTimeoutMs: number;
  /** How long a stopping process still accepts requests, until load balancers notice. */
  drainNoticeMs: number;
  credential: (environmentVariable: string) => string | undefined;
  logLevel: string;
}

/** @throws ConfigError that lists every problem */
export function parseDataPlaneConfig(environment: Environment): DataPlaneConfig {
  const production = isProduction(environment);
  // A copy: every read of process.env is a system call.
  const credentials = { ...environment };
  const settings = parseConfig(
    dataPlaneSettings(production)
      .refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE)
      .refine(checkStateKey, STATE_KEY_MESSAGE)
      .refine(checkStateRedis, STATE_REDIS_MESSAGE),
    environment,
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    controlPlaneAddresses: settings.CONTROL_PLANE_ADDRESS,
    catalogUrl: settings.CATALOG_URL,
    internalToken: settings.INTERNAL_TOKEN,
    pepper: settings.API_KEY_LOOKUP_PEPPER,
    oldPepper: settings.API_KEY_LOOKUP_PEPPER_OLD,
    pepperIsDevelopmentValue: settings.API_KEY_LOOKUP_PEPPER === DEVELOPMENT_PEPPER,
    grpcTls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    redisUrl: settings.REDIS_URL,
    expectedReplicas: settings.EXPECTED_REPLICAS,
    keyCacheGraceMs: settings.KEY_CACHE_GRACE_MS,
    settlement: settings.SETTLEMENT,
    providerProbeIntervalMs: settings.PROVIDER_PROBE_INTERVAL_MS,
    responsesState: responsesStateOf(settings),
    trustProxy: settings.TRUST_PROXY,
    corsOrigins: settings.CORS_ORIGINS,
    maxJsonBodyBytes: MAX_JSON_BODY_BYTES,
    maxFormBytes: MAX_FORM_BYTES,
    drainTimeoutMs: settings.DRAIN_TIMEOUT_MS,
    drainNoticeMs: production ? 3_000 : 0,
    // A catalog must not be able to send the gateway's own secrets to a provider. Trimmed: files and secrets
    // often end in a line break, which a header cannot carry.
    credential: (name) => (isReservedVariable(name) ? undefined : credentials[name]?.trim() || undefined),
    logLevel: settings.LOG_LEVEL,
  };
}
