export * from './config/parse-config.ts';
export * from './config/seller-settings.ts';
export * from './config/settings.ts';
export * from './config/url-settings.ts';
export * from './http/client-ip.ts';
export { createHttpServer, type UpgradeListener } from './http/create-http-server.ts';
export * from './http/header-values.ts';
export * from './http/health.ts';
export * from './http/internal-headers.ts';
export { createInternalServer } from './http/internal-server.ts';
export * from './http/listen.ts';
export { reportRefusals } from './http/report-refusals.ts';
export { assignRequestId, clientRequestId, REQUEST_ID_HEADER, requestIdOf } from './http/request-id.ts';
export * from './http/web-app.ts';
export { type ErrorWriter, writeError } from './http/write-error.ts';
export * from './lifecycle/linked-list.ts';
export * from './lifecycle/listening-clock.ts';
export { commandLineOf, isRunning, stopProcess } from './lifecycle/other-process.ts';
export * from './lifecycle/patience.ts';
export {
  FAILURE_DRAIN_MS,
  type RunningService,
  runService,
  type ServiceDefinition,
  STARTED,
  type StopOptions,
} from './lifecycle/run-service.ts';
export { SlotQueue } from './lifecycle/slot-queue.ts';
export * from './lifecycle/staggered-interval.ts';
export { startService } from './lifecycle/start-service.ts';
export * from './lifecycle/stop-switch.ts';
export { inBackground } from './lifecycle/unexpected-failure.ts';
export { CLOSE_LOGS_MS } from './observability/batched-output.ts';
export { createLogger, infoWriter, type Logger, serializeError } from './observability/logger.ts';
export * from './observability/metrics.ts';
export { type ObserveRequestContext, observeRequest } from './observability/observe-request.ts';
export * from './observability/request-metrics.ts';
export { TallyCounter } from './observability/tally-counter.ts';
export { TallyHistogram } from './observability/tally-histogram.ts';
