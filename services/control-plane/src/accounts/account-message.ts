import { omitAbsent } from '../omit-absent.ts';
import type { AccountBalance } from './account-list-store.ts';
import type { StoredAccount } from './account-store.ts';
import type { OwnLimits } from './effective-limits.ts';

/** @param balance of the account's own pools; undefined: not requested */
export function accountMessage(
  account: Omit<StoredAccount, keyof OwnLimits | 'signupPoolDue' | 'stoppedBy' | 'thresholdMails'>,
  balance?: AccountBalance,
) {
  const { createdAt, deletedAt, email, emailVerifiedAt, externalId, id, name, suspendedAt } = account;
  const { priceListId, timezone, weekStarts } = account;
  return {
    id,
    email,
    name,
    createdAtMs: createdAt.getTime(),
    emailVerified: emailVerifiedAt !== null,
    unlimited: balance?.unlimited ?? false,
    timezone,
    weekStarts,
    ...omitAbsent({
      suspendedAtMs: suspendedAt?.getTime(),
      deletedAtMs: deletedAt?.getTime(),
      externalId: externalId ?? undefined,
      priceListId: priceListId ?? undefined,
      left: balance && String(balance.left),
    }),
  };
}
