import { hasRole } from '@model-gateway/shared/access';
import type { AccountStore } from '../accounts/account-store.ts';
import type { UserActor } from '../actors/actor.ts';
import type { ContentsSettingStore } from '../contents/contents-setting-store.ts';
import type { EndUserRulesStore } from './end-user-rules-store.ts';

export interface GetHolderSettingsContext {
  accountStore: Pick<AccountStore, 'require'>;
  contentsSettingStore: Pick<ContentsSettingStore, 'find'>;
  endUserRulesStore: Pick<EndUserRulesStore, 'namesOf'>;
}

const MAX_END_USERS = 1_000;

/**
 * Returns the settings of an account, how contents of its requests are stored, and to an admin the end users
 * with own rules.
 */
export async function getHolderSettings(
  context: GetHolderSettingsContext,
  { accountId, role = 'viewer' }: UserActor,
) {
  const [{ priceListId, thresholdMails, timezone, weekStarts }, endUsers, contents] = await Promise.all([
    context.accountStore.require(accountId),
    hasRole(role, 'admin') ? context.endUserRulesStore.namesOf(accountId, MAX_END_USERS) : [],
    context.contentsSettingStore.find(accountId),
  ]);
  return {
    ...{ thresholdMails, timezone, weekStarts, endUsers },
    ...(priceListId !== null && { priceListId }),
    ...(contents && { contents: { days: contents.days, sinceMs: contents.since.getTime() } }),
  };
}
