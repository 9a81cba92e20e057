import { CatalogWatch, ControlPlaneClient } from '@model-gateway/contracts';
import { connectLimiter, Tombstones } from '@model-gateway/limits';
import { createLogger, createRegistry, type Logger, type Registry } from '@model-gateway/service-kit';
import { KNOWN_PRICES, pepperFingerprint } from '@model-gateway/shared';
import { AllowanceMetrics, addAllowanceGauges } from './billing/allowance-metrics.ts';
import { Allowances } from './billing/allowances.ts';
import { type ModelTable, modelTable } from './catalog/model-table.ts';
import type { DataPlaneConfig } from './config.ts';
import { SealedIds } from './dialects/responses/sealed-ids.ts';
import { MinimumRate } from './http/minimum-rate.ts';
import { JsonTurns } from './json/json-turns.ts';
import { connectKeptResponses } from './kept-responses/connect-kept-responses.ts';
import { KeyCache } from './keys/key-cache.ts';
import { KeyWatch } from './keys/key-watch.ts';
import { LapsedLease } from './keys/lapsed-lease.ts';
import { OpenRequests } from './keys/open-requests.ts';
import { KeyResolver } from './keys/resolve-key.ts';
import { UnknownKeyGuard } from './keys/unknown-key-guard.ts';
import { StreamLeases } from './limits/stream-leases.ts';
import { answerBudgetBounds, createAnswerBudget } from './memory/answer-budget.ts';
import { bodyBudgetBounds, createBodyBudget } from './memory/body-budget.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import { memoryLimitBytes } from './memory/memory-limit.ts';
import { createDataPlaneMetrics } from './observability/data-plane-metrics.ts';

import { UnpricedUsage } from './observability/unpriced-usage.ts';
import { waitingCalls } from './observability/waiting-calls.ts';
import { addWaitingMetrics } from './observability/waiting-metrics.ts';
import { WaitingReports, type WaitingReportTimings } from './observability/waiting-reports.ts';
import { RefusalReports } from './refusals/refusal-reports.ts';
import type { SettlementBounds } from './settlement/settlement-queue.ts';
import { SettlementStream } from './settlement/settlement-stream.ts';
import { StreamCheckpoints } from './settlement/stream-checkpoints.ts';
import { TokenCounts } from './tokens/token-counts.ts';
import { BackgroundResponses, type BackgroundTimings } from './upstream/background-responses.ts';
import { CatalogProxy } from './upstream/catalog-proxy.ts';
import { FetchedCredentials } from './upstream/fetched-credentials.ts';
import { MissingCredentials } from './upstream/missing-credentials.ts';
import { ProviderBreakers } from './upstream/provider-breakers.ts';
import { ProviderCredentials } from './upstream/provider-credentials.ts';
import { addProviderMetrics } from './upstream/provider-metrics.ts';
import { ProviderPools } from './upstream/provider-pools.ts';
import { ProviderProbes } from './upstream/provider-probes.ts';
import { RefusedAccessLog } from './upstream/refused-access-log.ts';
import type { StreamTimings } from './upstream/relay-event-stream.ts';
import { LARGE_ANSWER_BYTES } from './upstream/relay-json.ts';
import { RetryBudget } from './upstream/retry-budget.ts';
import { reportLimitUse } from './usage/report-limit-use.ts';

/** What tests replace: where log lines go, waits that make them slow, bounds that make them large. */
export interface DataPlaneOverrides {
  log?: Logger;
  streamTimings?: Partial<StreamTimings>;
  bodyBudget?: MemoryBudget;
  minimumRate?: MinimumRate;
  answerBudget?: MemoryBudget;
  largeAnswerBytes?: number;
  breakers?: ProviderBreakers;
  credentials?: ProviderCredentials;
  settlementBounds?: SettlementBounds;
  waitingReports?: WaitingReportTimings;
  background?: BackgroundTimings;
}

/**
 * How long after a ping of the key watch that was answered money may be spent: the control plane frees it 10
 * s after the ping at the earliest, and requests that start late should have some time left.
 */
const ALLOWANCE_LIFE_MS = 8_000;

const STREAM_TIMINGS: StreamTimings = { keepAliveMs: 15_000, clientStallMs: 60_000 };

export type DataPlaneContext = ReturnType<typeof createContext>;

/** The composition root: every part once, wired by hand. Nothing runs before `start` of the two watches. */
export function createContext(config: DataPlaneConfig, overrides: DataPlaneOverrides = {}) {
  const log = overrides.log ?? createLogger({ service: 'data-plane', level: config.logLevel });
  const registry: Registry = createRegistry();
  const connect = () =>
    new ControlPlaneClient({
      addresses: config.controlPlaneAddresses,
      token: config.internalToken,
      tls: config.grpcTls,
    });
  // One for each use, so that a failover of one does not move the others.
  const controlPlane = connect();
  const catalogClient = connect();
  const billingClient = connect();
  const allowanceClient = connect();
  const settlement = new SettlementStream({
    client: billingClient,
    log,
    registry,
    ...(overrides.settlementBounds === undefined ? {} : { bounds: overrides.settlementBounds }),
  });
  const refusals = new RefusalReports({ client: billingClient, registry, log });
  const openRequests = new OpenRequests();
  const pools = new ProviderPools();
  const breakers = overrides.breakers ?? new ProviderBreakers();
  const refusedAccess = new RefusedAccessLog(log);
  const fetchedCredentials = new FetchedCredentials({ log, variable: config.credential });
  const models: { table: ModelTable | undefined } = { table: undefined };
  const credentials = overrides.credentials ?? new ProviderCredentials(config.credential);
  const missingCredentials = new MissingCredentials({ credential: config.credential, log });
  const keyWatch = new KeyWatch({
    client: controlPlane,
    pepperFingerprint: pepperFingerprint(config.pepper),
    log,
    events: {
      keyChanged: ({ keyId, lookupHash, previousLookupHash, revoked, revision, expiresAtMs }) => {
        keys.invalidate({ lookupHash, revision, revoked });
        if (previousLookupHash !== undefined) {
          keys.invalidate({ lookupHash: previousLookupHash, revision, revoked });
        }
        limiter.forget(keyId);
        if (revoked) openRequests.cutKey(keyId);
        else openRequests.expiryChanged(keyId, expiresAtMs);
      },
      reset: (revision) => {
        keys.invalidateAll(revision);
        lapsedLease.changesMissed();
        // The database may have been restored: what it set aside for us may be anybody's by now.
        allowances.leaveAll();
      },
      recalled: (allowanceId, recall) => allowances.recall(allowanceId, recall),
      limitUseAsked: (asked) => reportLimitUse(limiter, asked),
      credentialsAsked: (variables) => missingCredentials.sort(variables),
    },
  });
  const allowances = new Allowances({
    client: allowanceClient,
    instanceId: keyWatch.instanceId,
    lease: {
      isAlive: () => keyWatch.lagMs() < ALLOWANCE_LIFE_MS,
      isLive: () => keyWatch.isLive(),
      renewed: () => keyWatch.renewed(),
      patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
    },
    metrics: new AllowanceMetrics(registry),
    log,
  });
  const { redis, limiter } = connectLimiter({
    redisUrl: config.redisUrl,
    expectedReplicas: config.expectedReplicas,
    isTrusted: () => keyWatch.isLive(),
    registry,
    log,
  });
  const keys = new KeyResolver({
    client: controlPlane,
    cache: new KeyCache(),
    trust: {
      isLive: () => keyWatch.isLive(),
      patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
      // A revocation would be seen there.
      mayServeStale: () => limiter.isRedisHealthy && keyWatch.lagMs() < config.keyCacheGraceMs,
    },
    guard: new UnknownKeyGuard(),
    pepperFingerprint: pepperFingerprint(config.pepper),
  });
  const lapsedLease = new LapsedLease({
    openRequests,
    isLive: () => keyWatch.isLive(),
    isHeard: () => keyWatch.isHeard(),
    tombstones: redis && new Tombstones(redis),
    isRedisHealthy: () => limiter.isRedisHealthy,
    client: controlPlane,
    log,
  });
  const catalogWatch = new CatalogWatch({
    client: catalogClient,
    registry,
    knownPrices: KNOWN_PRICES,
    onCatalog: (catalog) => {
      models.table = modelTable(catalog);
      pools.keepOnly(models.table);
      breakers.keepOnly(models.table.providers);
      credentials.keepOnly(models.table.providers);
      refusedAccess.keepOnly(models.table.providers);
      fetchedCredentials.keepOnly(models.table.providers);
      log.info({ revision: models.table.revision, models: models.table.models.size }, 'catalog received');
      missingCredentials.catalogChanged(models.table.providers);
    },
    onUnusable: (error) => log.error({ error }, 'the catalog received cannot be used'),
    onLost: (error) => log.warn({ error: error?.message }, 'catalog watch lost, reconnecting'),
  });
  const largestBodyBytes = Math.max(config.maxJsonBodyBytes, config.maxFormBytes);
  const bodyBudget =
    overrides.bodyBudget ?? createBodyBudget(bodyBudgetBounds(memoryLimitBytes(), largestBodyBytes));
  const answerBudget = overrides.answerBudget ?? createAnswerBudget(answerBudgetBounds(memoryLimitBytes()));
  const metrics = createDataPlaneMetrics(registry, {
    bodyBytes: () => bodyBudget.usedBytes,
    waitingBodies: () => bodyBudget.waitingClaims,
    answerBytes: () => answerBudget.usedBytes,
    waitingAnswers: () => answerBudget.waitingClaims,
    openRequests: () => openRequests.size,
    openStreams: () => openRequests.streams,
    keyWatchLagMs: () => keyWatch.lagMs(),
  });
  addAllowanceGauges(registry, () => allowances.out);
  addProviderMetrics(registry, {
    providers: () => models.table?.providers.values() ?? [],
    breakers,
    credentials,
  });
  addWaitingMetrics(registry, () => waitingCalls(openRequests));
  const keptResponses =
    config.responsesState && connectKeptResponses({ ...config.responsesState, registry, log });
  const drain = { started: false };
  return {
    log,
    registry,
    drain,
    pepper: config.pepper,
    oldPepper: config.oldPepper,
    sealedIds: new SealedIds(config.pepper, config.oldPepper),
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    maxJsonBodyBytes: config.maxJsonBodyBytes,
    maxFormBytes: config.maxFormBytes,
    bodyBudget,
    minimumRate: overrides.minimumRate ?? new MinimumRate(),
    jsonTurns: new JsonTurns(),
    tokenCounts: new TokenCounts(),
    answerBudget,
    largeAnswerBytes: overrides.largeAnswerBytes ?? LARGE_ANSWER_BYTES,
    credentials,
    missingCredentials,
    streamTimings: { ...STREAM_TIMINGS, ...overrides.streamTimings },
    controlPlane,
    catalogClient,
    billingClient,
    allowanceClient,
    settlement,
    settlementMode: config.settlement,
    refusals,
    allowances,
    checkpoints: new StreamCheckpoints(settlement),
    backgroundResponses: new BackgroundResponses(
      { pools, fetchedCredentials, credentials, log },
      overrides.background,
    ),
    redis,
    keptResponses,
    limiter,
    streamLeases: new StreamLeases(limiter, log),
    openRequests,
    keys,
    keyWatch,
    lapsedLease,
    models,
    catalogWatch,
    pools,
    breakers,
    refusedAccess,
    fetchedCredentials,
    retryBudget: new RetryBudget(),
    catalogProxy: new CatalogProxy({ catalogUrl: config.catalogUrl, internalToken: config.internalToken }),
    providerProbes: new ProviderProbes({
      intervalMs: config.providerProbeIntervalMs,
      providers: () => models.table?.providers.values() ?? [],
      pools,
      credentials,
      fetchedCredentials,
      client: billingClient,
      metrics,
      log,
    }),
    waitingReports: new WaitingReports({
      instanceId: keyWatch.instanceId,
      waiting: (atLeastMs) => waitingCalls(openRequests, atLeastMs),
      client: billingClient,
      timings: overrides.waitingReports,
      log,
    }),
    metrics,
    unpricedUsage: new UnpricedUsage(registry, log),
    notReadyBecause(): string[] {
      const reasons: string[] = [];
      if (models.table === undefined) reasons.push('no catalog from the control plane yet');
      if (keyWatch.refusal !== undefined) reasons.push(keyWatch.refusal);
      else if (!keyWatch.isLive() && !keyWatch.isHeard()) reasons.push('key watch is not live');
      return reasons;
    },
  };
}
