import { hasRole } from '@model-gateway/shared/access';
import type { AccountStore } from '../accounts/account-store.ts';
import type { UserActor } from '../actors/actor.ts';
import type { EndUserRulesStore } from './end-user-rules-store.ts';

export interface GetHolderSettingsContext {
  accountStore: Pick<AccountStore, 'require'>;
  endUserRulesStore: Pick<EndUserRulesStore, 'namesOf'>;
}

const MAX_END_USERS = 1_000;

/** Returns the settings of an account, and to an admin the end users with own rules. */
export async function getHolderSettings(
  context: GetHolderSettingsContext,
  { accountId, role = 'viewer' }: UserActor,
) {
  const [{ thresholdMails, timezone, weekStarts }, endUsers] = await Promise.all([
    context.accountStore.require(accountId),
    hasRole(role, 'admin') ? context.endUserRulesStore.namesOf(accountId, MAX_END_USERS) : [],
  ]);
  return { thresholdMails, timezone, weekStarts, endUsers };
}
