import { randomUUID } from 'node:crypto';
import { AdminProof } from '@model-gateway/contracts';
import {
  assertMigrated,
  createPrismaClient,
  ReadingPool,
  readConnectionLimits,
} from '@model-gateway/database';
import { connectRedis, createLimiter, RedisLimiter, Tombstones } from '@model-gateway/limits';
import { Mailer } from '@model-gateway/mail';
import { createLogger, createRegistry, createRequestMetrics, type Logger } from '@model-gateway/service-kit';
import { ADMIN_FAILURES_PER_MINUTE, ADMIN_REQUESTS_PER_MINUTE, credentialSeals } from '@model-gateway/shared';
import { startTelemetry } from '@model-gateway/telemetry';
import { AttemptStore } from './audit/attempt-store.ts';
import { Attempts } from './audit/attempts.ts';
import { AuditRetentionStore } from './audit/audit-retention-store.ts';
import { AuditSnapshotStore } from './audit/audit-snapshot-store.ts';
import { AllowanceStore } from './billing/allowance-store.ts';
import { AllowanceSweeper } from './billing/allowance-sweeper.ts';
import { PriceBook } from './billing/price-book.ts';
import { PriceStore } from './billing/price-store.ts';
import { ReturnsWait } from './billing/returns-wait.ts';
import { CatalogFeed } from './catalog/catalog-feed.ts';
import { CatalogStore } from './catalog/catalog-store.ts';
import type { ControlPlaneConfig } from './config.ts';
import { ContentsSeal } from './contents/contents-seal.ts';
import { createControlPlaneMetrics } from './control-plane-metrics.ts';
import { CredentialFeed } from './credentials/credential-feed.ts';
import { CredentialStore } from './credentials/credential-store.ts';
import { DrainFeed } from './data-planes/drain-feed.ts';
import { KeyEventListStore } from './data-planes/key-event-list-store.ts';
import { KeyFeed } from './data-planes/key-feed.ts';
import { RecallFeed } from './data-planes/recall-feed.ts';
import { TombstoneFeed } from './data-planes/tombstone-feed.ts';
import { WatcherStore } from './data-planes/watcher-store.ts';
import { WatcherWait } from './data-planes/watcher-wait.ts';
import { connectionShares, overdrawnBudget } from './database/connection-budget.ts';
import { DatabaseEpoch } from './database/database-epoch.ts';
import { EpochStore } from './database/epoch-store.ts';
import { ReadShares } from './database/read-shares.ts';
import { EventCheckStore } from './event-checks/event-check-store.ts';
import { EventChecks } from './event-checks/event-checks.ts';
import { settledEvents } from './event-checks/settled-events.ts';
import { ReportedStateStore } from './events/reported-state-store.ts';
import { ControlPlaneReports } from './fleet/control-plane-reports.ts';
import { DrainStore } from './fleet/drain-store.ts';
import { ProcessReportStore } from './fleet/process-report-store.ts';
import { RevocationLog } from './keys/revocation-log.ts';
import { RevocationLogStore } from './keys/revocation-log-store.ts';
import { LimitQuestions } from './limits/limit-questions.ts';
import { LimitedKeyStore } from './limits/limited-key-store.ts';
import { listenForNotifications } from './listen-for-notifications.ts';
import { LedgerMismatchStore } from './pools/ledger-mismatch-store.ts';
import { LedgerStore } from './pools/ledger-store.ts';
import { UsageRetentionStore } from './pools/usage-retention-store.ts';
import { ProviderReportStore } from './provider-reports/provider-report-store.ts';
import { ReconciliationStore } from './reconciliation/reconciliation-store.ts';
import { Reconciliations } from './reconciliation/reconciliations.ts';
import { RollUpStore } from './roll-ups/roll-up-store.ts';
import { RollUps } from './roll-ups/roll-ups.ts';
import { ClampedRecords } from './settlement/clamped-records.ts';
import { FollowedFeed } from './settlement/followed-feed.ts';
import { FollowedResponseStore } from './settlement/followed-response-store.ts';
import { SettlementStore } from './settlement/settlement-store.ts';
import { SettlementStreams } from './settlement/settlement-streams.ts';
import { HealthFeed } from './status/health-feed.ts';
import { HealthReader } from './status/health-reader.ts';
import { HealthStore } from './status/health-store.ts';
import { ProbeStore } from './status/probe-store.ts';
import { TroubleMemory } from './status/trouble-memory.ts';
import { TroubleStore } from './status/trouble-store.ts';
import { WaitingStore } from './status/waiting-store.ts';
import { createStores } from './stores.ts';
import { UsageStore } from './usage/usage-store.ts';
import { VerificationStore } from './verifications/verification-store.ts';
import { Verifications } from './verifications/verifications.ts';
import { createDelivery, type DeliveryOverrides } from './webhooks/create-delivery.ts';

export interface ControlPlaneOverrides {
  webhooks?: DeliveryOverrides;
  log?: Logger;
  /** Limits of the management API per minute: requests of a key, failures of an address. */
  adminRates?: { requestsPerMinute: number; failuresPerMinute: number };
}

export type ControlPlaneContext = Awaited<ReturnType<typeof createContext>>;

/** Composition root: creates every part once. @throws when the database is unreachable or lacks migrations */
export async function createContext(config: ControlPlaneConfig, overrides: ControlPlaneOverrides = {}) {
  const sessionUrl = config.databaseSessionUrl ?? config.databaseUrl;
  await assertMigrated(sessionUrl);
  const log = overrides.log ?? createLogger({ service: 'control-plane', level: config.logLevel });
  const overdrawn = overdrawnBudget(await readConnectionLimits(sessionUrl), config);
  if (overdrawn !== undefined) log.warn(overdrawn);
  const { reading, working } = connectionShares(config.databaseConnections);
  const prisma = createPrismaClient(config.databaseUrl, {
    maxConnections: working,
    isPooled: config.databaseSessionUrl !== undefined,
  });
  const reads = new ReadingPool(sessionUrl, { maxConnections: reading });
  const keyEventListStore = new KeyEventListStore(prisma);
  const watcherStore = new WatcherStore(prisma);
  const databaseEpoch = new DatabaseEpoch(new EpochStore(prisma), log);
  const keyFeed = new KeyFeed(watcherStore, databaseEpoch, log);
  const watcherWait = new WatcherWait(watcherStore, log);
  const redis = config.redisUrl === undefined ? undefined : connectRedis({ url: config.redisUrl });
  const limiter = createLimiter({
    connection: redis,
    expectedReplicas: config.maxControlPlanes,
    // It limits only admin keys, which every request reads from the database.
    isTrusted: () => true,
  });
  const catalogStore = new CatalogStore(prisma);
  const catalogFeed = new CatalogFeed(catalogStore, databaseEpoch, log);
  const settlementStore = new SettlementStore(prisma);
  const followedResponseStore = new FollowedResponseStore(prisma);
  const priceBook = new PriceBook(new PriceStore(prisma));
  const allowanceStore = new AllowanceStore(prisma);
  const recallFeed = new RecallFeed(allowanceStore, keyFeed, log);
  const processReportStore = new ProcessReportStore(prisma);
  const drainStore = new DrainStore(prisma);
  const drainFeed = new DrainFeed(drainStore, keyFeed, log);
  const controlPlaneId = randomUUID();
  const verificationStore = new VerificationStore(prisma);
  const returnsWait = new ReturnsWait(allowanceStore);
  const attemptStore = new AttemptStore(prisma);
  const probeStore = new ProbeStore(prisma);
  const credentialStore = new CredentialStore(prisma);
  const credentialFeed = new CredentialFeed(credentialStore, keyFeed, log);
  const waitingStore = new WaitingStore(prisma);
  const troubleMemory = new TroubleMemory(new TroubleStore(prisma));
  const healthReader = new HealthReader(new HealthStore(prisma), probeStore, troubleMemory);
  const registry = createRegistry();
  const telemetry =
    config.telemetry && startTelemetry({ config: config.telemetry, service: 'control-plane', registry, log });
  const tombstoneFeed =
    redis && new TombstoneFeed({ keyEventListStore, tombstones: new Tombstones(redis), log });
  const allowanceSweeper = new AllowanceSweeper(allowanceStore, log);
  const revocationLog = new RevocationLog(new RevocationLogStore(prisma), log);
  for (const part of [keyFeed, tombstoneFeed, priceBook, allowanceSweeper, revocationLog]) {
    databaseEpoch.onChange(() => part?.forget());
  }
  const mailer = new Mailer({ mail: config.mail, log });
  const stores = createStores(prisma, reads);
  const seals = credentialSeals(config.pepper, config.oldPepper);
  const delivery = createDelivery(
    {
      ...config,
      deliveryStore: stores.deliveryStore,
      mailDeliveryStore: stores.mailDeliveryStore,
      log,
      mailer,
      registry,
      seals,
    },
    overrides.webhooks,
  );
  const ledgerStore = new LedgerStore(sessionUrl);
  const ledgerMismatchStore = new LedgerMismatchStore(prisma);
  const eventChecks = new EventChecks({
    eventCheckStore: new EventCheckStore(prisma),
    sendsMail: mailer.isConfigured,
    ...{ healthReader, ledgerMismatchStore, ledgerStore, log, probeStore },
  });
  return {
    ...stores,
    ...delivery,
    mailer,
    ledgerMismatchStore,
    reportedStateStore: new ReportedStateStore(prisma),
    eventChecks,
    log,
    prisma,
    reads,
    readShares: new ReadShares(reading),
    registry,
    telemetry,
    controlPlaneId,
    processReportStore,
    drainStore,
    drainFeed,
    verificationStore,
    verifications: new Verifications({ controlPlaneId, store: verificationStore, log }),
    reports: new ControlPlaneReports({ id: controlPlaneId, store: processReportStore, log }),
    adminProof: new AdminProof(config.adminToken),
    pepper: config.pepper,
    oldPepper: config.oldPepper,
    trustProxy: config.trustProxy,
    limiter,
    groupMappings: config.groupMappings,
    adminRates: {
      requestsPerMinute: ADMIN_REQUESTS_PER_MINUTE,
      failuresPerMinute: ADMIN_FAILURES_PER_MINUTE,
      ...overrides.adminRates,
    },
    adminObserver: {
      log,
      metrics: createRequestMetrics(registry, {
        requests: 'gateway_admin_requests_total',
        duration: 'gateway_admin_request_duration_seconds',
      }),
    },
    concurrentStreams: config.concurrentStreams,
    signupPool: config.signupPool,
    attemptStore,
    deniedAttempts: new Attempts(attemptStore, log),
    auditSnapshotStore: new AuditSnapshotStore(sessionUrl),
    auditRetentionStore: new AuditRetentionStore(prisma, config.auditRetentionDays),
    keyEventListStore,
    databaseEpoch,
    watcherStore,
    keyFeed,
    revocationLog,
    watcherWait,
    limitedKeyStore: new LimitedKeyStore(reads, config.concurrentStreams),
    limitQuestions: new LimitQuestions(keyFeed),
    redis,
    redisLimiter: redis && new RedisLimiter(redis),
    tombstoneFeed,
    catalogStore,
    catalogFeed,
    followedResponseStore,
    followedFeed: new FollowedFeed(followedResponseStore, keyFeed, log),
    settlementStore,
    rollUps: new RollUps(new RollUpStore(prisma, settledEvents), log),
    settlementStreams: new SettlementStreams(
      { settlementStore, priceBook, clampedRecords: new ClampedRecords(registry, log) },
      telemetry?.traces && { ...telemetry.traces, slowMs: config.telemetry?.slowMs ?? 0 },
    ),
    allowanceStore,
    allowanceSweeper,
    recallFeed,
    returnsWait,
    priceBook,
    reconciliations: new Reconciliations({
      providers: config.reconcile,
      reconciliationStore: new ReconciliationStore(prisma),
      providerAttemptStore: stores.providerAttemptStore,
      ...{ catalogStore, controlPlaneId, log, priceBook, registry },
    }),
    ledgerStore,
    usageRetentionStore: new UsageRetentionStore(prisma, config.usageRetentionDays),
    usageStore: new UsageStore(reads, config.usageRetentionDays),
    probeStore,
    providerReportStore: new ProviderReportStore(prisma),
    credentialStore,
    credentialSeals: seals,
    contentsSeal: new ContentsSeal(config.pepper, config.oldPepper),
    contentsAccountBytes: config.contentsAccountBytes,
    credentialFeed,
    waitingStore,
    healthReader,
    healthFeed: new HealthFeed(healthReader, waitingStore, log),
    notifications: listenForNotifications(sessionUrl, {
      ...{ catalogFeed, credentialFeed, delivery, drainFeed, keyFeed, log, recallFeed, returnsWait },
      ...{ revocationLog, watcherWait },
    }),
    metrics: createControlPlaneMetrics(registry, () => keyFeed.size),
  };
}
