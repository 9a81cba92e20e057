import type { PrismaClient, ReadingPool } from '@model-gateway/database';
import { RoleStore } from './access/role-store.ts';
import { AccountEndStore } from './accounts/account-end-store.ts';
import { AccountListStore } from './accounts/account-list-store.ts';
import { AccountStore } from './accounts/account-store.ts';
import { ProvenAddressStore } from './accounts/proven-address-store.ts';
import { SignInStore } from './accounts/sign-in-store.ts';
import { AdminKeyStore } from './admin-keys/admin-key-store.ts';
import { AuditHeadsStore } from './audit/audit-heads-store.ts';
import { AuditListStore } from './audit/audit-list-store.ts';
import { BudgetStore } from './billing/budget-store.ts';
import { AffectedStore } from './catalog/affected-store.ts';
import { CatalogVersionStore } from './catalog/catalog-version-store.ts';
import { ContentsSettingStore } from './contents/contents-setting-store.ts';
import { ContentsStore } from './contents/contents-store.ts';
import { StoredCredentialStore } from './credentials/stored-credential-store.ts';
import { EndUserDeletionStore } from './end-users/end-user-deletion-store.ts';
import { EndUserListStore } from './end-users/end-user-list-store.ts';
import { EndUserStore } from './end-users/end-user-store.ts';
import { StorageStore } from './fleet/storage-store.ts';
import { SignInGroupsStore } from './group-mappings/sign-in-groups-store.ts';
import { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { HolderKeyListStore } from './keys/holder-key-list-store.ts';
import { HolderKeyStore } from './keys/holder-key-store.ts';
import { KeyChangeStore } from './keys/key-change-store.ts';
import { KeyListStore } from './keys/key-list-store.ts';
import { KeyStore } from './keys/key-store.ts';
import { OldPepperStore } from './keys/old-pepper-store.ts';
import { OpenRouterKeyStore } from './keys/openrouter-key-store.ts';
import { MailDeliveryStore } from './mail/mail-delivery-store.ts';
import { InstallationRoleStore } from './members/installation-role-store.ts';
import { JoinStore } from './members/join-store.ts';
import { MemberChangeStore } from './members/member-change-store.ts';
import { MemberStore } from './members/member-store.ts';
import { NameStore } from './names/name-store.ts';
import { AttentionStore } from './overview/attention-store.ts';
import { OverviewStore } from './overview/overview-store.ts';
import { TopAccounts } from './overview/top-accounts.ts';
import { MoveMoneyStore } from './owned-pools/move-money-store.ts';
import { KeyPatchStore } from './owned-rules/key-patch-store.ts';
import { OwnedRulesStore } from './owned-rules/owned-rules-store.ts';
import { UsagePartitionStore } from './partitions/usage-partition-store.ts';
import { PoolChangeStore } from './pools/pool-change-store.ts';
import { PoolListStore } from './pools/pool-list-store.ts';
import { PoolStore } from './pools/pool-store.ts';
import { PriceListStore } from './price-lists/price-list-store.ts';
import { ProviderAttemptStore } from './reconciliation/provider-attempt-store.ts';
import { RefusalStore } from './refusals/refusal-store.ts';
import { EndUserRulesStore } from './rules/end-user-rules-store.ts';
import { RulesStore } from './rules/rules-store.ts';
import { ScimGroupListStore } from './scim/groups/group-list-store.ts';
import { ScimGroupStore } from './scim/groups/group-store.ts';
import { ScimTokenStore } from './scim/tokens/token-store.ts';
import { ScimUserListStore } from './scim/users/user-list-store.ts';
import { ScimUserStore } from './scim/users/user-store.ts';
import { SearchStore } from './search/search-store.ts';
import { StatementStore } from './statements/statement-store.ts';
import { HolderTeamStore } from './teams/holder-team-store.ts';
import { InvitationStore } from './teams/invitation-store.ts';
import { SeatStore } from './teams/seat-store.ts';
import { TeamEndStore } from './teams/team-end-store.ts';
import { TeamListStore } from './teams/team-list-store.ts';
import { TeamStore } from './teams/team-store.ts';
import { DailyUsageStore } from './usage/daily-usage-store.ts';
import { ReceiptListStore } from './usage/receipt-list-store.ts';
import { RefusalListStore } from './usage/refusal-list-store.ts';
import { RequestStore } from './usage/request-store.ts';
import { TotalUsageStore } from './usage/total-usage-store.ts';
import { UsagePageStore } from './usage/usage-page-store.ts';
import { UsageReportStore } from './usage/usage-report-store.ts';
import { DeliveryHistoryStore } from './webhooks/delivery-history-store.ts';
import { DeliveryStore } from './webhooks/delivery-store.ts';
import { RedeliveryStore } from './webhooks/redelivery-store.ts';
import { WebhookSecretStore } from './webhooks/webhook-secret-store.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';

/**
 * Creates the stores that need nothing but their connections.
 * @param reads connections for long reads
 */
export function createStores(prisma: PrismaClient, reads: ReadingPool) {
  return {
    adminKeyStore: new AdminKeyStore(prisma),
    idempotencyStore: new IdempotencyStore(prisma),
    scimTokenStore: new ScimTokenStore(prisma),
    scimUserStore: new ScimUserStore(prisma),
    scimUserListStore: new ScimUserListStore(reads),
    scimGroupStore: new ScimGroupStore(prisma),
    scimGroupListStore: new ScimGroupListStore(reads),
    signInGroupsStore: new SignInGroupsStore(prisma),
    accountStore: new AccountStore(prisma),
    accountEndStore: new AccountEndStore(prisma),
    accountListStore: new AccountListStore(reads),
    auditHeadsStore: new AuditHeadsStore(prisma),
    auditListStore: new AuditListStore(reads),
    keyListStore: new KeyListStore(reads),
    teamListStore: new TeamListStore(reads),
    searchStore: new SearchStore(reads),
    signInStore: new SignInStore(prisma),
    provenAddressStore: new ProvenAddressStore(prisma),
    roleStore: new RoleStore(prisma),
    mailDeliveryStore: new MailDeliveryStore(prisma),
    memberStore: new MemberStore(prisma),
    memberChangeStore: new MemberChangeStore(prisma),
    joinStore: new JoinStore(prisma),
    installationRoleStore: new InstallationRoleStore(prisma),
    keyStore: new KeyStore(prisma),
    endUserRulesStore: new EndUserRulesStore(prisma),
    endUserStore: new EndUserStore(prisma),
    endUserDeletionStore: new EndUserDeletionStore(prisma),
    endUserListStore: new EndUserListStore(reads),
    rulesStore: new RulesStore(prisma),
    ownedRulesStore: new OwnedRulesStore(prisma),
    keyPatchStore: new KeyPatchStore(prisma),
    keyChangeStore: new KeyChangeStore(prisma),
    oldPepperStore: new OldPepperStore(prisma),
    holderKeyStore: new HolderKeyStore(prisma),
    holderKeyListStore: new HolderKeyListStore(reads),
    teamStore: new TeamStore(prisma),
    teamEndStore: new TeamEndStore(prisma),
    seatStore: new SeatStore(prisma),
    invitationStore: new InvitationStore(prisma),
    holderTeamStore: new HolderTeamStore(reads),
    budgetStore: new BudgetStore(prisma),
    poolStore: new PoolStore(prisma),
    poolListStore: new PoolListStore(reads),
    poolChangeStore: new PoolChangeStore(prisma),
    priceListStore: new PriceListStore(prisma),
    nameStore: new NameStore(reads),
    openRouterKeyStore: new OpenRouterKeyStore(reads),
    moveMoneyStore: new MoveMoneyStore(prisma),
    usagePartitionStore: new UsagePartitionStore(prisma),
    usagePageStore: new UsagePageStore(reads),
    usageReportStore: new UsageReportStore(reads),
    requestStore: new RequestStore(reads),
    receiptListStore: new ReceiptListStore(reads),
    attentionStore: new AttentionStore(prisma),
    overviewStore: new OverviewStore(reads),
    topAccounts: new TopAccounts(new OverviewStore(reads)),
    totalUsageStore: new TotalUsageStore(reads),
    dailyUsageStore: new DailyUsageStore(reads),
    providerAttemptStore: new ProviderAttemptStore(reads),
    statementStore: new StatementStore(reads),
    refusalStore: new RefusalStore(prisma),
    refusalListStore: new RefusalListStore(reads),
    contentsStore: new ContentsStore(prisma),
    contentsSettingStore: new ContentsSettingStore(prisma),
    storageStore: new StorageStore(reads),
    affectedStore: new AffectedStore(reads),
    catalogVersionStore: new CatalogVersionStore(prisma),
    storedCredentialStore: new StoredCredentialStore(prisma),
    webhookStore: new WebhookStore(prisma),
    webhookSecretStore: new WebhookSecretStore(prisma),
    deliveryStore: new DeliveryStore(prisma),
    deliveryHistoryStore: new DeliveryHistoryStore(reads),
    redeliveryStore: new RedeliveryStore(prisma),
  };
}
