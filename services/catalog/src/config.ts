import {
  addressListSetting,
  booleanSetting,
  checkGrpcTls,
  type Environment,
  expectedReplicasSetting,
  GRPC_TLS_PAIR_MESSAGE,
  grpcTlsSettings,
  hostSetting,
  internalTokenSetting,
  isProduction,
  logLevelSetting,
  nodeEnvSetting,
  parseConfig,
  portSetting,
  redisUrlSetting,
  trustProxySetting,
} from '@model-gateway/service-kit';
import { z } from 'zod';

/** Every setting of the catalog service; documented in .env.example. It holds no pepper and no keys. */
export function catalogSettings(production: boolean) {
  return z.object({
    NODE_ENV: nodeEnvSetting,
    HOST: hostSetting(production),
    PORT: portSetting(8081),
    INTERNAL_PORT: portSetting(9081),
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    INTERNAL_TOKEN: internalTokenSetting(production),
    ...grpcTlsSettings,
    REDIS_URL: redisUrlSetting(production),
    EXPECTED_REPLICAS: expectedReplicasSetting,
    TRUST_PROXY: trustProxySetting,
    HIDE_UPSTREAMS: booleanSetting,
    LOG_LEVEL: logLevelSetting,
  });
}

export type CatalogConfig = ReturnType<typeof parseCatalogConfig>;

/** @throws ConfigError that lists every problem */
export function parseCatalogConfig(environment: Environment) {
  const settings = parseConfig(
    catalogSettings(isProduction(environment)).refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE),
    environment,
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    controlPlaneAddresses: settings.CONTROL_PLANE_ADDRESS,
    internalToken: settings.INTERNAL_TOKEN,
    grpcTls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    redisUrl: settings.REDIS_URL,
    expectedReplicas: settings.EXPECTED_REPLICAS,
    trustProxy: settings.TRUST_PROXY,
    /** True: the status does not name the providers. */
    hidesUpstreams: settings.HIDE_UPSTREAMS,
    logLevel: settings.LOG_LEVEL,
  };
}
