import { omitAbsent } from '../omit-absent.ts';
import type { StoredAccount } from './account-store.ts';
import type { OwnLimits } from './effective-limits.ts';

/** @param left money left in its own pools, in nano-USD; undefined: not requested */
export function accountMessage(
  account: Omit<StoredAccount, keyof OwnLimits | 'signupPoolDue'>,
  left?: bigint,
) {
  const { createdAt, deletedAt, email, emailVerifiedAt, id, name, suspendedAt } = account;
  return {
    id,
    email,
    name,
    createdAtMs: createdAt.getTime(),
    emailVerified: emailVerifiedAt !== null,
    ...omitAbsent({
      suspendedAtMs: suspendedAt?.getTime(),
      deletedAtMs: deletedAt?.getTime(),
      left: left === undefined ? undefined : String(left),
    }),
  };
}
