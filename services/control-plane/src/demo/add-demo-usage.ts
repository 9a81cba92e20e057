import { displayPrefix, generateApiKey, lookupHash, newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { DemoStore } from './demo-store.ts';
import { DEMO_DAYS, generateUsage, type WorkloadUsage } from './generate-usage.ts';

export interface AddDemoUsageContext {
  accountStore: Pick<AccountStore, 'require'>;
  catalogStore: Pick<CatalogStore, 'read'>;
  demoStore: Pick<DemoStore, 'add'>;
  pepper: string;
  isProduction: boolean;
}

const DAY_MS = 86_400_000;
/** What has just ended may be somebody's first request, which should stand first. */
const LATEST_MS = 3 * 60_000;

/**
 * Gives an account thirty days of made-up usage of the models that there are, once, on keys that nobody has.
 * @param idOrEmail of the account
 * @returns how many requests; 0 when it has some already, or there are no models
 * @throws ControlPlaneError failed_precondition (in production), not_found
 */
export async function addDemoUsage(context: AddDemoUsageContext, idOrEmail: string): Promise<number> {
  if (context.isProduction) {
    throw new ControlPlaneError('failed_precondition', 'there is no demo usage in production');
  }
  const { id: accountId } = await context.accountStore.require(idOrEmail);
  const { models } = await context.catalogStore.read();
  const untilMs = Date.now() - LATEST_MS;
  const usage = generateUsage({ models, untilMs, seed: accountId });
  if (usage.length === 0) return 0;
  const createdAt = new Date(untilMs - DEMO_DAYS * DAY_MS);
  const onKeys = usage.map((each) => onKey(each, { accountId, createdAt, pepper: context.pepper }));
  const rows = onKeys.flatMap((each) => each.rows);
  const isNew = await context.demoStore.add({ accountId, keys: onKeys.map(({ key }) => key), rows });
  return isNew ? rows.length : 0;
}

/** The raw key is thrown away: the key opens nothing. */
function onKey(
  { workload, requests }: WorkloadUsage,
  { accountId, createdAt, pepper }: { accountId: string; createdAt: Date; pepper: string },
) {
  const rawKey = generateApiKey();
  const key = {
    id: newId('key'),
    name: workload.name,
    lookupHash: lookupHash(pepper, rawKey),
    displayPrefix: displayPrefix(rawKey),
    createdAt,
  };
  const rows = requests.map((request) => ({
    ...request,
    requestId: newId('req'),
    accountId,
    seatId: null,
    teamId: null,
    keyId: key.id,
  }));
  return { key, rows };
}
