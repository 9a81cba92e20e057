export {
  SIMULATED_ENTRA_CLIENT,
  SIMULATED_ENTRA_SECRET,
  SIMULATED_ENTRA_TENANT,
  SIMULATED_FEDERATED_TOKEN,
  SIMULATED_PROJECT,
  SIMULATED_SUBJECT_TOKEN,
  simulatedAwsMessage,
  simulatedAwsSecret,
  simulatedAwsSession,
  simulatedServiceAccount,
  startSimulatedProvider,
} from '@model-gateway/simulated-provider';
export { findChromium } from './browser.ts';
export { modelEntry, providerEntry, withoutCredential } from './catalog-entries.ts';
export { chatBody } from './chat-body.ts';
export { dumpTables } from './dump-tables.ts';
export { hasProgram } from './has-program.ts';
export { answerObserver } from './observe-answers.ts';
export { type Books, openBooks, type PoolBooks, usageOf } from './open-books.ts';
export { postJson } from './post-json.ts';
export { envelopeOf, readAnswer, sendRaw } from './raw-http.ts';
export { readAll } from './read-all.ts';
export { metricOf, readMetrics, type Sample, sumOf } from './read-metrics.ts';
export { type RedisServer, startOwnRedis, startRedisServer } from './redis.ts';
export { rememberMinutes } from './remember-minute.ts';
export { type ResetMoment, resetConnections } from './reset-connections.ts';
export { simulatedCatalog } from './simulated-catalog.ts';
export { type ServiceName, type SpawnedService, spawnService } from './spawn-service.ts';
export {
  addPool,
  type GatewayOptions,
  PROVIDER_CREDENTIAL,
  startGateway,
  type TestGateway,
} from './start-gateway.ts';
export { TEST_SECRETS } from './test-secrets.ts';
export { until } from './until.ts';
export { untilWithin, watchLag } from './watch-lag.ts';
export { type Answer, type SharedGateway, startGatewayWithKey, withGateway } from './with-gateway.ts';
export { withStarted } from './with-started.ts';
