import {
  addressListSetting,
  booleanSetting,
  checkGrpcTls,
  creditUrlSetting,
  DEVELOPMENT_PEPPER,
  type Environment,
  expectedReplicasSetting,
  GRPC_TLS_PAIR_MESSAGE,
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
  trustProxySetting,
} from '@model-gateway/service-kit';
import { isReservedVariable, MAX_FORM_BYTES, MAX_JSON_BODY_BYTES } from '@model-gateway/shared';
import { telemetryConfigOf, telemetrySettings } from '@model-gateway/telemetry';
import { z } from 'zod';
import { egressSettings, egressSettingsOf, withProxyVariables } from './egress/egress-settings.ts';
import {
  checkStateKey,
  checkStateRedis,
  responsesStateOf,
  responsesStateSettings,
  STATE_KEY_MESSAGE,
  STATE_REDIS_MESSAGE,
} from './stored-responses/state-settings.ts';

function milliseconds(maxDigits: number) {
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${maxDigits}}$`), 'expected milliseconds')
    .transform(Number);
}

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
    KEY_CACHE_GRACE_MS: milliseconds(6).default(10_000),
    SETTLEMENT: z
      .enum(['background', 'acknowledged'], 'expected "background" or "acknowledged"')
      .default('background'),
    PROVIDER_PROBE_INTERVAL_MS: milliseconds(7)
      .pipe(z.int().min(1_000, 'expected at least 1000').max(3_600_000, 'expected at most 3600000'))
      .optional(),
    RESPONSES_WEBSOCKET: z
      .enum(['true', 'false'], 'expected true or false')
      .default('true')
      .transform((text) => text === 'true'),
    ...responsesStateSettings,
    ...egressSettings,
    TRUST_PROXY: trustProxySetting,
    CORS_ORIGINS: z
      .string()
      .transform((text) => text.split(',').map((origin) => origin.trim()))
      .pipe(
        z.array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'expected an origin such as https://app.example')),
      )
      .default([]),
    READ_ON_MS: milliseconds(7).default(60_000),
    DRAIN_TIMEOUT_MS: milliseconds(7).default(30_000),
    CREDIT_URL: creditUrlSetting.optional(),
    HIDE_UPSTREAMS: booleanSetting,
    ...telemetrySettings,
    LOG_LEVEL: logLevelSetting,
  });
}

export type DataPlaneConfig = ReturnType<typeof parseDataPlaneConfig>;

/** @throws ConfigError that lists every problem */
export function parseDataPlaneConfig(environment: Environment) {
  const production = isProduction(environment);
  // A copy: every read of process.env is a system call.
  const credentials = { ...environment };
  const settings = parseConfig(
    dataPlaneSettings(production)
      .refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE)
      .refine(checkStateKey, STATE_KEY_MESSAGE)
      .refine(checkStateRedis, STATE_REDIS_MESSAGE),
    withProxyVariables(environment),
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    controlPlaneAddresses: settings.CONTROL_PLANE_ADDRESS,
    catalogUrl: settings.CATALOG_URL,
    internalToken: settings.INTERNAL_TOKEN,
    pepper: settings.API_KEY_LOOKUP_PEPPER,
    // The previous pepper, while keys move to the new one.
    oldPepper: settings.API_KEY_LOOKUP_PEPPER_OLD,
    pepperIsDevelopmentValue: settings.API_KEY_LOOKUP_PEPPER === DEVELOPMENT_PEPPER,
    grpcTls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    redisUrl: settings.REDIS_URL,
    expectedReplicas: settings.EXPECTED_REPLICAS,
    // How long cached keys are accepted while Redis responds and no control plane does.
    keyCacheGraceMs: settings.KEY_CACHE_GRACE_MS,
    // `acknowledged`: a response ends only after its cost is committed.
    settlement: settings.SETTLEMENT,
    providerProbeIntervalMs: settings.PROVIDER_PROBE_INTERVAL_MS,
    responsesWebSocket: settings.RESPONSES_WEBSOCKET,
    responsesState: responsesStateOf(settings),
    egress: egressSettingsOf(settings),
    trustProxy: settings.TRUST_PROXY,
    corsOrigins: settings.CORS_ORIGINS,
    maxJsonBodyBytes: MAX_JSON_BODY_BYTES,
    maxFormBytes: MAX_FORM_BYTES,
    // How long a paid response is read on after its caller has left, until the provider has counted.
    readOnMs: settings.READ_ON_MS,
    drainTimeoutMs: settings.DRAIN_TIMEOUT_MS,
    // How long a stopping process still accepts requests, until load balancers notice.
    drainNoticeMs: production ? 3_000 : 0,
    // A catalog must not be able to send the gateway's own secrets to a provider. Trimmed: files and secrets
    // often end in a line break, which a header cannot carry.
    credential: (name: string) =>
      isReservedVariable(name) ? undefined : credentials[name]?.trim() || undefined,
    creditUrl: settings.CREDIT_URL,
    hidesUpstreams: settings.HIDE_UPSTREAMS,
    // Undefined: nothing is exported over OTLP.
    telemetry: telemetryConfigOf(settings),
    logLevel: settings.LOG_LEVEL,
  };
}
