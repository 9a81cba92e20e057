import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { describeCredentials } from '../credentials/describe-credentials.ts';
import type { ProviderReportStore } from '../provider-reports/provider-report-store.ts';
import type { HealthReader } from '../status/health-reader.ts';
import { type AttentionItem, type AttentionKind, sortAttention } from './attention-item.ts';
import type { AttentionStore } from './attention-store.ts';
import { describeLimit } from './describe-limit.ts';
import {
  describeDataPlane,
  describeLedger,
  describeMissing,
  describeProvider,
  describeRefused,
  describeSumsBehind,
  describeUnpriced,
  describeWebhook,
  isUnpriced,
} from './describe-trouble.ts';

/** Objects of a kind that are listed. */
const MAX_LISTED = 10;

export interface AttentionContext {
  attentionStore: AttentionStore;
  catalogStore: Pick<CatalogStore, 'read'>;
  credentialStore: Pick<CredentialStore, 'counts'>;
  healthReader: Pick<HealthReader, 'read'>;
  providerReportStore: Pick<ProviderReportStore, 'read'>;
}

export interface Attention {
  /** Worst first, at most ten of each kind. */
  items: AttentionItem[];
  /** All objects of each kind, counted up to 1,000. */
  totals: Map<AttentionKind, number>;
}

/** Finds what needs an operator's attention now. @throws when the database is unreachable */
export async function listAttention(context: AttentionContext): Promise<Attention> {
  const { attentionStore: store, catalogStore, credentialStore, healthReader } = context;
  const catalog = await catalogStore.read();
  const [
    health,
    reports,
    described,
    used,
    dataPlanes,
    unpriced,
    ledger,
    webhooks,
    sumsBehind,
    pools,
    budgets,
  ] = await Promise.all([
    healthReader.read(),
    context.providerReportStore.read(),
    describeCredentials(catalog, credentialStore),
    store.usedProviders(),
    store.troubledDataPlanes(),
    store.unpricedUnits(),
    store.ledgerMismatches(),
    store.failingWebhooks(MAX_LISTED),
    store.sumsBehindSince(),
    store.pools(MAX_LISTED),
    store.budgets(MAX_LISTED),
  ]);
  const inForce = new Set(catalog.providers.map(({ id }) => id));
  const owners = await store.owners([...pools, ...budgets].map(({ owner }) => owner));
  const found: Record<AttentionKind, AttentionItem[]> = {
    ledger_mismatch: ledger.total === 0 ? [] : [describeLedger(ledger)],
    credential_refused: describeRefused(reports.refused.filter(({ providerId }) => inForce.has(providerId))),
    credential_missing: described.flatMap((each) => describeMissing(each, used)),
    provider_failing: health.providers.filter(({ id }) => inForce.has(id)).flatMap(describeProvider),
    data_plane_behind: dataPlanes.filter(({ isLost }) => !isLost).map(describeDataPlane),
    data_plane_lost: dataPlanes.filter(({ isLost }) => isLost).map(describeDataPlane),
    sums_behind: sumsBehind === null ? [] : [describeSumsBehind(sumsBehind)],
    unpriced_unit: unpriced.filter(isUnpriced).map(describeUnpriced),
    webhook_failing: webhooks.map(describeWebhook),
    pool_nearly_used: pools.map((each) => describeLimit('pool', each, owners)),
    budget_nearly_used: budgets.map((each) => describeLimit('budget', each, owners)),
  };
  const totalOf = (rows: readonly { total: number }[]) => rows[0]?.total ?? 0;
  const totals = new Map<AttentionKind, number>([
    ...Object.entries(found).map(([kind, items]) => [kind as AttentionKind, items.length] as const),
    ['webhook_failing', totalOf(webhooks)],
    ['pool_nearly_used', totalOf(pools)],
    ['budget_nearly_used', totalOf(budgets)],
  ]);
  return {
    items: sortAttention(Object.values(found).flatMap((items) => items.slice(0, MAX_LISTED))),
    totals,
  };
}
