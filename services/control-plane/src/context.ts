import { randomUUID } from 'node:crypto';
import { AdminProof } from '@model-gateway/contracts';
import {
  assertMigrated,
  createPrismaClient,
  ReadingPool,
  readConnectionLimits,
} from '@model-gateway/database';
import { connectRedis, createLimiter, RedisLimiter, Tombstones } from '@model-gateway/limits';
import { createLogger, createRegistry, createRequestMetrics, type Logger } from '@model-gateway/service-kit';
import { ADMIN_FAILURES_PER_MINUTE, ADMIN_REQUESTS_PER_MINUTE, credentialSeals } from '@model-gateway/shared';
import { PlaceStore } from './access/place-store.ts';
import { AccountEndStore } from './accounts/account-end-store.ts';
import { AccountListStore } from './accounts/account-list-store.ts';
import { AccountStore } from './accounts/account-store.ts';
import { ProvenAddressStore } from './accounts/proven-address-store.ts';
import { SignInStore } from './accounts/sign-in-store.ts';
import { AdminKeyStore } from './admin-keys/admin-key-store.ts';
import { AttemptStore } from './audit-log/attempt-store.ts';
import { Attempts } from './audit-log/attempts.ts';
import { AuditHeadsStore } from './audit-log/audit-heads-store.ts';
import { AuditListStore } from './audit-log/audit-list-store.ts';
import { AuditRetentionStore } from './audit-log/audit-retention-store.ts';
import { AuditSnapshotStore } from './audit-log/audit-snapshot-store.ts';
import { AllowanceStore } from './billing/allowance-store.ts';
import { AllowanceSweeper } from './billing/allowance-sweeper.ts';
import { BudgetStore } from './billing/budget-store.ts';
import { PriceBook } from './billing/price-book.ts';
import { PriceStore } from './billing/price-store.ts';
import { ReturnsWait } from './billing/returns-wait.ts';
import { CatalogFeed } from './catalog/catalog-feed.ts';
import { CatalogStore } from './catalog/catalog-store.ts';
import type { ControlPlaneConfig } from './config.ts';
import { createControlPlaneMetrics } from './control-plane-metrics.ts';
import { CredentialFeed } from './credentials/credential-feed.ts';
import { CredentialStore } from './credentials/credential-store.ts';
import { StoredCredentialStore } from './credentials/stored-credential-store.ts';
import { KeyEventListStore } from './data-planes/key-event-list-store.ts';
import { KeyFeed } from './data-planes/key-feed.ts';
import { RecallFeed } from './data-planes/recall-feed.ts';
import { TombstoneFeed } from './data-planes/tombstone-feed.ts';
import { WatcherStore } from './data-planes/watcher-store.ts';
import { WatcherWait } from './data-planes/watcher-wait.ts';
import { connectionShares, overdrawnBudget } from './database/connection-budget.ts';
import { DatabaseEpoch } from './database/database-epoch.ts';
import { EpochStore } from './database/epoch-store.ts';
import { NotificationListener } from './database/notification-listener.ts';
import { ReadShares } from './database/read-shares.ts';
import { SignInGroupsStore } from './group-grants/sign-in-groups-store.ts';
import { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { HolderKeyListStore } from './keys/holder-key-list-store.ts';
import { HolderKeyStore } from './keys/holder-key-store.ts';
import { KeyChangeStore } from './keys/key-change-store.ts';
import { KeyListStore } from './keys/key-list-store.ts';
import { KeyStore } from './keys/key-store.ts';
import { OldPepperStore } from './keys/old-pepper-store.ts';
import { OpenRouterKeyStore } from './keys/openrouter-key-store.ts';
import { RevocationLog } from './keys/revocation-log.ts';
import { RevocationLogStore } from './keys/revocation-log-store.ts';
import { LimitQuestions } from './limits/limit-questions.ts';
import { LimitedKeyStore } from './limits/limited-key-store.ts';
import { InstallationRoleStore } from './members/installation-role-store.ts';
import { JoinStore } from './members/join-store.ts';
import { MemberChangeStore } from './members/member-change-store.ts';
import { MemberStore } from './members/member-store.ts';
import { NameStore } from './names/name-store.ts';
import { MoveMoneyStore } from './owned-pools/move-money-store.ts';
import { KeyPatchStore } from './owned-rules/key-patch-store.ts';
import { OwnedRulesStore } from './owned-rules/owned-rules-store.ts';
import { UsagePartitionStore } from './partitions/usage-partition-store.ts';
import { LedgerStore } from './pools/ledger-store.ts';
import { PoolChangeStore } from './pools/pool-change-store.ts';
import { PoolListStore } from './pools/pool-list-store.ts';
import { PoolStore } from './pools/pool-store.ts';
import { UsageRetentionStore } from './pools/usage-retention-store.ts';
import { RefusalStore } from './refusals/refusal-store.ts';
import { RollUpStore } from './roll-ups/roll-up-store.ts';
import { RollUps } from './roll-ups/roll-ups.ts';
import { EndUserEndStore } from './rules/end-user-end-store.ts';
import { EndUserListStore } from './rules/end-user-list-store.ts';
import { EndUserStore } from './rules/end-user-store.ts';
import { KnownEndUserStore } from './rules/known-end-user-store.ts';
import { RulesStore } from './rules/rules-store.ts';
import { ScimGroupListStore } from './scim/groups/group-list-store.ts';
import { ScimGroupStore } from './scim/groups/group-store.ts';
import { ScimTokenStore } from './scim/tokens/token-store.ts';
import { ScimUserListStore } from './scim/users/user-list-store.ts';
import { ScimUserStore } from './scim/users/user-store.ts';
import { ClampedRecords } from './settlement/clamped-records.ts';
import { FollowedFeed } from './settlement/followed-feed.ts';
import { FollowedResponseStore } from './settlement/followed-response-store.ts';
import { SettlementStore } from './settlement/settlement-store.ts';
import { SettlementStreams } from './settlement/settlement-streams.ts';
import { StatementStore } from './statements/statement-store.ts';
import { HealthFeed } from './status/health-feed.ts';
import { HealthReader } from './status/health-reader.ts';
import { HealthStore } from './status/health-store.ts';
import { ProbeStore } from './status/probe-store.ts';
import { TroubleMemory } from './status/trouble-memory.ts';
import { TroubleStore } from './status/trouble-store.ts';
import { WaitingStore } from './status/waiting-store.ts';
import { HolderTeamStore } from './teams/holder-team-store.ts';
import { InvitationStore } from './teams/invitation-store.ts';
import { SeatStore } from './teams/seat-store.ts';
import { TeamEndStore } from './teams/team-end-store.ts';
import { TeamListStore } from './teams/team-list-store.ts';
import { TeamStore } from './teams/team-store.ts';
import { ReceiptListStore } from './usage/receipt-list-store.ts';
import { RefusalListStore } from './usage/refusal-list-store.ts';
import { RequestStore } from './usage/request-store.ts';
import { TotalUsageStore } from './usage/total-usage-store.ts';
import { UsagePageStore } from './usage/usage-page-store.ts';
import { UsageReportStore } from './usage/usage-report-store.ts';
import { UsageStore } from './usage/usage-store.ts';

export interface ControlPlaneOverrides {
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
    // It limits admin keys alone, whose revocation the database tells.
    isTrusted: () => true,
  });
  const catalogStore = new CatalogStore(prisma);
  const catalogFeed = new CatalogFeed(catalogStore, databaseEpoch, log);
  const settlementStore = new SettlementStore(prisma);
  const followedResponseStore = new FollowedResponseStore(prisma);
  const priceBook = new PriceBook(new PriceStore(prisma));
  const allowanceStore = new AllowanceStore(prisma);
  const recallFeed = new RecallFeed(allowanceStore, keyFeed, log);
  const returnsWait = new ReturnsWait(allowanceStore);
  const attemptStore = new AttemptStore(prisma);
  const probeStore = new ProbeStore(prisma);
  const credentialStore = new CredentialStore(prisma);
  const credentialFeed = new CredentialFeed(credentialStore, keyFeed, log);
  const waitingStore = new WaitingStore(prisma);
  const troubleMemory = new TroubleMemory(new TroubleStore(prisma));
  const healthReader = new HealthReader(new HealthStore(prisma), probeStore, troubleMemory);
  const registry = createRegistry();
  const tombstoneFeed =
    redis && new TombstoneFeed({ keyEventListStore, tombstones: new Tombstones(redis), log });
  const allowanceSweeper = new AllowanceSweeper(allowanceStore, log);
  const revocationLog = new RevocationLog(new RevocationLogStore(prisma), log);
  for (const part of [keyFeed, tombstoneFeed, priceBook, allowanceSweeper, revocationLog]) {
    databaseEpoch.onChange(() => part?.forget());
  }
  return {
    log,
    prisma,
    reads,
    readShares: new ReadShares(reading),
    registry,
    controlPlaneId: randomUUID(),
    adminProof: new AdminProof(config.adminToken),
    pepper: config.pepper,
    oldPepper: config.oldPepper,
    trustProxy: config.trustProxy,
    adminKeyStore: new AdminKeyStore(prisma),
    idempotencyStore: new IdempotencyStore(prisma),
    limiter,
    scimTokenStore: new ScimTokenStore(prisma),
    scimUserStore: new ScimUserStore(prisma),
    scimUserListStore: new ScimUserListStore(reads),
    scimGroupStore: new ScimGroupStore(prisma),
    scimGroupListStore: new ScimGroupListStore(reads),
    groupGrants: config.groupGrants,
    signInGroupsStore: new SignInGroupsStore(prisma),
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
    accountStore: new AccountStore(prisma),
    accountEndStore: new AccountEndStore(prisma),
    accountListStore: new AccountListStore(reads),
    attemptStore,
    deniedAttempts: new Attempts(attemptStore, log),
    auditHeadsStore: new AuditHeadsStore(prisma),
    auditListStore: new AuditListStore(reads),
    auditSnapshotStore: new AuditSnapshotStore(sessionUrl),
    auditRetentionStore: new AuditRetentionStore(prisma, config.auditRetentionDays),
    keyListStore: new KeyListStore(reads),
    teamListStore: new TeamListStore(reads),
    signInStore: new SignInStore(prisma),
    provenAddressStore: new ProvenAddressStore(prisma),
    placeStore: new PlaceStore(prisma),
    memberStore: new MemberStore(prisma),
    memberChangeStore: new MemberChangeStore(prisma),
    joinStore: new JoinStore(prisma),
    installationRoleStore: new InstallationRoleStore(prisma),
    keyStore: new KeyStore(prisma),
    endUserStore: new EndUserStore(prisma),
    knownEndUserStore: new KnownEndUserStore(prisma),
    endUserEndStore: new EndUserEndStore(prisma),
    endUserListStore: new EndUserListStore(reads),
    rulesStore: new RulesStore(prisma),
    ownedRulesStore: new OwnedRulesStore(prisma),
    keyPatchStore: new KeyPatchStore(prisma),
    keyEventListStore,
    keyChangeStore: new KeyChangeStore(prisma),
    oldPepperStore: new OldPepperStore(prisma),
    holderKeyStore: new HolderKeyStore(prisma),
    holderKeyListStore: new HolderKeyListStore(reads),
    teamStore: new TeamStore(prisma),
    teamEndStore: new TeamEndStore(prisma),
    seatStore: new SeatStore(prisma),
    invitationStore: new InvitationStore(prisma),
    holderTeamStore: new HolderTeamStore(reads),
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
    rollUps: new RollUps(new RollUpStore(prisma), log),
    settlementStreams: new SettlementStreams({
      settlementStore,
      priceBook,
      clampedRecords: new ClampedRecords(registry, log),
    }),
    allowanceStore,
    allowanceSweeper,
    budgetStore: new BudgetStore(prisma),
    recallFeed,
    returnsWait,
    poolStore: new PoolStore(prisma),
    poolListStore: new PoolListStore(reads),
    poolChangeStore: new PoolChangeStore(prisma),
    nameStore: new NameStore(reads),
    openRouterKeyStore: new OpenRouterKeyStore(reads),
    moveMoneyStore: new MoveMoneyStore(prisma),
    ledgerStore: new LedgerStore(sessionUrl),
    usagePartitionStore: new UsagePartitionStore(prisma),
    usageRetentionStore: new UsageRetentionStore(prisma, config.usageRetentionDays),
    usageStore: new UsageStore(reads, config.usageRetentionDays),
    usagePageStore: new UsagePageStore(reads),
    usageReportStore: new UsageReportStore(reads),
    requestStore: new RequestStore(reads),
    receiptListStore: new ReceiptListStore(reads),
    totalUsageStore: new TotalUsageStore(reads),
    statementStore: new StatementStore(reads),
    refusalStore: new RefusalStore(prisma),
    refusalListStore: new RefusalListStore(reads),
    probeStore,
    credentialStore,
    storedCredentialStore: new StoredCredentialStore(prisma),
    credentialSeals: credentialSeals(config.pepper, config.oldPepper),
    credentialFeed,
    waitingStore,
    healthReader,
    healthFeed: new HealthFeed(healthReader, waitingStore, log),
    notifications: new NotificationListener({
      databaseUrl: sessionUrl,
      log,
      channels: {
        gateway_keys: () => {
          keyFeed.wake();
          revocationLog.wake();
        },
        gateway_watchers: () => watcherWait.wake(),
        gateway_catalog: () => {
          catalogFeed.wake();
          credentialFeed.wake();
        },
        gateway_credentials: () => credentialFeed.wake(),
        gateway_recalls: () => recallFeed.wake(),
        gateway_returns: () => returnsWait.wake(),
      },
    }),
    metrics: createControlPlaneMetrics(registry, () => keyFeed.size),
  };
}
