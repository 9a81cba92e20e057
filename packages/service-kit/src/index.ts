export { ConfigError, type Environment, parseConfig } from './config/parse-config.ts';
export {
  addressListSetting,
  adminTokenSetting,
  checkGrpcTls,
  DEVELOPMENT_ADMIN_TOKEN,
  DEVELOPMENT_INTERNAL_TOKEN,
  DEVELOPMENT_PEPPER,
  DEVELOPMENT_SESSION_SECRET,
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
  pepperSetting,
  portSetting,
  redisUrlSetting,
  sessionSecretSetting,
} from './config/settings.ts';
export { addressGroup, clientIp, type TrustProxy, trustProxySetting } from './http/client-ip.ts';
export { createHttpServer } from './http/create-http-server.ts';
export { headerValues } from './http/header-values.ts';
export { healthBody, VERSION } from './http/health.ts';
export { AUTHENTICATED_HEADER, INTERNAL_TOKEN_HEADER } from './http/internal-headers.ts';
export { createInternalServer } from './http/internal-server.ts';
export { closeServer, listen } from './http/listen.ts';
export { reportRefusals } from './http/report-refusals.ts';
export { clientRequestId, REQUEST_ID_HEADER, requestIdOf } from './http/request-id.ts';
export { answerFailure, type Method, mountPath, plainApp } from './http/web-app.ts';
export { type ErrorWriter, writeError } from './http/write-error.ts';
export { listeningMs } from './lifecycle/listening-clock.ts';
export { commandLineOf, isRunning, stopProcess } from './lifecycle/other-process.ts';
export { type Patience, PatientTimer, withPatience } from './lifecycle/patience.ts';
export {
  FAILURE_DRAIN_MS,
  type RunningService,
  runService,
  type ServiceDefinition,
  STARTED,
  type StopOptions,
} from './lifecycle/run-service.ts';
export { SlotQueue } from './lifecycle/slot-queue.ts';
export { StaggeredInterval } from './lifecycle/staggered-interval.ts';
export { startService } from './lifecycle/start-service.ts';
export { type StopSignal, StopSwitch } from './lifecycle/stop-switch.ts';
export { CLOSE_LOGS_MS } from './observability/batched-output.ts';
export { createLogger, infoWriter, type Logger, serializeError } from './observability/logger.ts';
export {
  Counter,
  createRegistry,
  DURATION_BUCKETS,
  Gauge,
  Histogram,
  Registry,
} from './observability/metrics.ts';
export { type ObserveRequestContext, observeRequest } from './observability/observe-request.ts';
export { createRequestDuration, createRequestMetrics } from './observability/request-metrics.ts';
export { TallyCounter } from './observability/tally-counter.ts';
