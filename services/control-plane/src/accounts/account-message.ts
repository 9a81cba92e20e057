import type { StoredAccount } from './account-store.ts';

export function accountMessage({
  id,
  email,
  name,
  createdAt,
  emailVerifiedAt,
  suspendedAt,
  deletedAt,
}: Pick<
  StoredAccount,
  'id' | 'email' | 'name' | 'createdAt' | 'emailVerifiedAt' | 'suspendedAt' | 'deletedAt'
>) {
  return {
    id,
    email,
    name,
    createdAtMs: createdAt.getTime(),
    emailVerified: emailVerifiedAt !== null,
    ...(suspendedAt === null ? {} : { suspendedAtMs: suspendedAt.getTime() }),
    ...(deletedAt === null ? {} : { deletedAtMs: deletedAt.getTime() }),
  };
}
