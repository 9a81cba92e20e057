import { ControlPlaneClient } from '@model-gateway/contracts';
import { createLogger, createRegistry, type Logger, type Registry } from '@model-gateway/service-kit';
import { credentialSeals } from '@model-gateway/shared';
import { startTelemetry } from '@model-gateway/telemetry';
import { AdoptedResponses } from './background/adopted-responses.ts';
import { BackgroundResponses, type BackgroundTimings } from './background/background-responses.ts';
import { DeletedResponses } from './background/deleted-responses.ts';
import { RecordingQueue } from './capabilities/transcription/recording-queue.ts';
import { SealedIds } from './chat/sealed-ids.ts';
import type { DataPlaneConfig } from './config.ts';
import { ContentsReports } from './contents/contents-reports.ts';
import { Drain } from './drain.ts';
import { EgressProxy } from './egress/egress-proxy.ts';
import type { Exchange } from './http/exchange.ts';
import { MinimumRate } from './http/minimum-rate.ts';
import { JsonQueue } from './json/json-queue.ts';
import { createKeyParts } from './keys/create-key-parts.ts';
import { OpenRequests } from './keys/open-requests.ts';
import { StreamLeases } from './limits/stream-leases.ts';
import { answerBudgetBounds, createAnswerBudget } from './memory/answer-budget.ts';
import { bodyBudgetBounds, createBodyBudget } from './memory/body-budget.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import { memoryLimitBytes } from './memory/memory-limit.ts';
import { createDataPlaneMetrics } from './observability/data-plane-metrics.ts';
import { boundedMs, DataPlaneReports, moneyFigures } from './observability/data-plane-reports.ts';
import { UnpricedUsage } from './observability/unpriced-usage.ts';
import { addWaitingMetrics, waitingCalls } from './observability/waiting-calls.ts';
import { type WaitingReportTimings, waitingReports } from './observability/waiting-reports.ts';
import { RefusalReports } from './refusals/refusal-reports.ts';
import { connectReplays } from './replay/connect-replays.ts';
import { createMoneyParts } from './settlement/create-money-parts.ts';
import type { SettlementBounds } from './settlement/settlement-queue.ts';
import { connectStoredResponses } from './stored-responses/connect-stored-responses.ts';
import { TokenCounts } from './tokens/token-counts.ts';
import { Tracing } from './tracing/tracing.ts';
import { CatalogProxy } from './upstream/catalog-proxy.ts';
import { createProviderParts } from './upstream/create-provider-parts.ts';
import type { ProviderBreakers } from './upstream/provider-breakers.ts';
import type { ProviderCredentials } from './upstream/provider-credentials.ts';
import { addProviderMetrics } from './upstream/provider-metrics.ts';
import { ProviderProbes } from './upstream/provider-probes.ts';
import { providerReports } from './upstream/provider-reports.ts';
import { ReadingOn } from './upstream/reading-on.ts';
import type { StreamTimings } from './upstream/relay-event-stream.ts';
import { LARGE_ANSWER_BYTES } from './upstream/relay-json.ts';
import { reportLimitUse } from './usage/report-limit-use.ts';
import { type ConnectionTimings, WebSocketConnections } from './websocket/websocket-connections.ts';

/** Replacements for tests. */
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
  /** Interval of reports about providers. */
  providerReportsMs?: number;
  background?: BackgroundTimings;
  claims?: { leaseMs: number; renewEveryMs: number };
  webSocketTimings?: Partial<ConnectionTimings>;
}

const STREAM_TIMINGS: StreamTimings = { keepAliveMs: 15_000, clientStallMs: 60_000 };

export type DataPlaneContext = ReturnType<typeof createContext>;

/** The composition root. Nothing runs before `keyWatch.start` and `catalogWatch.start`. */
export function createContext(config: DataPlaneConfig, overrides: DataPlaneOverrides = {}) {
  const log = overrides.log ?? createLogger({ service: 'data-plane', level: config.logLevel });
  const registry: Registry = createRegistry();
  const connect = () =>
    new ControlPlaneClient({
      addresses: config.controlPlaneAddresses,
      token: config.internalToken,
      tls: config.grpcTls,
    });
  // One client per use, so that a failover moves only that use.
  const controlPlane = connect();
  const catalogClient = connect();
  const billingClient = connect();
  const allowanceClient = connect();
  const contentsClient = connect();
  const refusals = new RefusalReports({ client: billingClient, registry, log });
  const egress = new EgressProxy(config.egress);
  const providers = createProviderParts({
    variable: config.credential,
    egress,
    seals: credentialSeals(config.pepper, config.oldPepper),
    client: catalogClient,
    overrides,
    registry,
    log,
  });
  const { breakers, credentials, fetchedCredentials, models, pools } = providers;
  const openRequests = new OpenRequests<Exchange>();
  const drain = new Drain(log);
  const memoryBytes = memoryLimitBytes();
  const webSockets = config.responsesWebSocket
    ? new WebSocketConnections(memoryBytes, overrides.webSocketTimings)
    : undefined;
  const keyParts: ReturnType<typeof createKeyParts> = createKeyParts({
    config,
    client: controlPlane,
    openRequests,
    events: {
      // The database may have been restored, so our allowances may belong to others.
      reset: () => money.allowances.retireAll(),
      recalled: (allowanceId, recall) => money.allowances.recall(allowanceId, recall),
      limitUseRequested: (keys) => reportLimitUse(keyParts.limiter, keys),
      credentialsRequested: (variables) => providers.missingCredentials.sort(variables),
      responsesUnfollowed: () => adoptedResponses.claim(),
      welcomed: () => reports.send(),
      drainOrdered: (drained) => {
        drain.order(drained);
        webSockets?.drain(drained);
        reports.send();
      },
    },
    registry,
    log,
  });
  const { keyWatch, limiter, redis } = keyParts;
  const money = createMoneyParts({
    allowanceClient,
    billingClient,
    keyWatch,
    bounds: overrides.settlementBounds,
    registry,
    log,
  });
  const telemetry =
    config.telemetry && startTelemetry({ config: config.telemetry, service: 'data-plane', registry, log });
  const providerOf = (id: string) => models.table?.providers.get(id);
  const operationMetrics = telemetry?.genAi && { genAi: telemetry.genAi, provider: providerOf };
  const tracing =
    config.telemetry &&
    telemetry?.traces &&
    new Tracing({
      ...telemetry.traces,
      ...config.telemetry,
      provider: providerOf,
    });
  const largestBodyBytes = Math.max(config.maxJsonBodyBytes, config.maxFormBytes);
  const budgets = {
    bodyBudget: overrides.bodyBudget ?? createBodyBudget(bodyBudgetBounds(memoryBytes, largestBodyBytes)),
    answerBudget: overrides.answerBudget ?? createAnswerBudget(answerBudgetBounds(memoryBytes)),
  };
  const readingOn = new ReadingOn(config.readOnMs);
  const metrics = createDataPlaneMetrics(registry, {
    ...budgets,
    openRequests,
    readingOn,
    keyWatch,
    webSockets,
  });
  addProviderMetrics(registry, {
    providers: () => models.table?.providers.values() ?? [],
    breakers,
    credentials,
  });
  const reports: DataPlaneReports = new DataPlaneReports({
    read: () => ({
      drained: drain.isOrdered,
      openRequests: openRequests.size,
      openStreams: openRequests.streams,
      ...moneyFigures(money),
      watchLagMs: boundedMs(keyWatch.lagMs()),
      ...(redis !== undefined && { redisReachable: limiter.isRedisHealthy }),
    }),
    responses: () => metrics.requests.total,
    send: (report) => keyWatch.report(report),
  });
  addWaitingMetrics(registry, () => waitingCalls(openRequests));
  const deletedResponses = new DeletedResponses(billingClient);
  const backgroundResponses = new BackgroundResponses(
    { pools, fetchedCredentials, credentials, answerBudget: budgets.answerBudget, deletedResponses, log },
    overrides.background,
  );
  const adoptedResponses: AdoptedResponses = new AdoptedResponses({
    client: billingClient,
    backgroundResponses,
    settlement: money.settlement,
    models,
    credentials,
    timings: overrides.background,
    log,
  });
  const storedResponses =
    config.responsesState && connectStoredResponses({ ...config.responsesState, registry, log });
  const replays = connectReplays({
    redisUrl: config.redisUrl,
    pepper: config.pepper,
    oldPepper: config.oldPepper,
    timings: overrides.claims,
    registry,
    log,
  });
  return {
    openRequests,
    webSockets,
    ...keyParts,
    ...money,
    ...providers,
    ...budgets,
    log,
    registry,
    drain,
    reports,
    readingOn,
    reasoningModels: new Set<string>(),
    pepper: config.pepper,
    oldPepper: config.oldPepper,
    sealedIds: new SealedIds(config.pepper, config.oldPepper),
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    maxJsonBodyBytes: config.maxJsonBodyBytes,
    maxFormBytes: config.maxFormBytes,
    minimumRate: overrides.minimumRate ?? new MinimumRate(),
    jsonQueue: new JsonQueue(),
    tokenCounts: new TokenCounts(),
    recordings: new RecordingQueue(),
    largeAnswerBytes: overrides.largeAnswerBytes ?? LARGE_ANSWER_BYTES,
    streamTimings: { ...STREAM_TIMINGS, ...overrides.streamTimings },
    controlPlane,
    catalogClient,
    billingClient,
    allowanceClient,
    contentsClient,
    contentsReports: new ContentsReports({ client: contentsClient, memoryBytes, registry, log }),
    settlementMode: config.settlement,
    creditUrl: config.creditUrl,
    hidesUpstreams: config.hidesUpstreams,
    refusals,
    telemetry,
    tracing,
    operationMetrics,
    egress,
    deletedResponses,
    backgroundResponses,
    adoptedResponses,
    storedResponses,
    replays,
    streamLeases: new StreamLeases(limiter, log),
    catalogProxy: new CatalogProxy({ catalogUrl: config.catalogUrl, internalToken: config.internalToken }),
    providerProbes: new ProviderProbes({
      intervalMs: config.providerProbeIntervalMs,
      providers: () => models.table?.providers.values() ?? [],
      pools,
      credentials,
      fetchedCredentials,
      breakers,
      client: billingClient,
      metrics,
      log,
    }),
    providerReports: providerReports({
      instanceId: keyWatch.instanceId,
      breakers,
      refusedCredentials: providers.refusedCredentials,
      client: billingClient,
      intervalMs: overrides.providerReportsMs,
      log,
    }),
    waitingReports: waitingReports({
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
      if (drain.isOrdered) reasons.push('an operator has taken it out of traffic');
      if (models.table === undefined) reasons.push('no catalog from the control plane yet');
      if (keyWatch.refusal !== undefined) reasons.push(keyWatch.refusal);
      else if (!keyWatch.isLive() && !keyWatch.isHeard()) reasons.push('key watch is not live');
      return reasons;
    },
  };
}
