import { newId } from '@model-gateway/shared';
import { lockAccountAlone } from '../../accounts/account-end-store.ts';
import { accountResource } from '../../accounts/account-resource.ts';
import { newSignupPool, type SignupPool } from '../../accounts/signup-pool.ts';
import type { RecordedChange } from '../../audit/record-change.ts';
import type { Transaction } from '../../database/prisma-store.ts';
import { changeOf } from '../../members/member-change-store.ts';
import { findMember } from '../../members/member-store.ts';
import { storedMember } from '../../members/stored-member.ts';
import { insertPool } from '../../pools/pool-store.ts';

export interface OpenedMembership {
  accountId: string;
  /** Null: the person owns the account. */
  memberId: string | null;
  /** Changes for the audit log: the created account or membership. */
  changes: RecordedChange[];
}

const MAX_NAME_LENGTH = 200;

/** Finds the account of an address, or creates it, and locks it as lockAccountAlone does. */
export async function openOwnAccount(
  transaction: Transaction,
  { email, name }: { email: string; name: string },
  signupPool: SignupPool,
): Promise<OpenedMembership> {
  const found = await transaction.account.findUnique({ where: { email }, select: { id: true } });
  if (found !== null) {
    await lockAccountAlone(transaction, found.id);
    return { accountId: found.id, memberId: null, changes: [] };
  }
  const data = {
    id: newId('acct'),
    email,
    name: name.slice(0, MAX_NAME_LENGTH) || email.slice(0, email.indexOf('@')),
    emailVerifiedAt: new Date(),
  };
  const account = await transaction.account.create({ data });
  const pool = newSignupPool(account.id, signupPool);
  if (pool !== undefined) await insertPool(transaction, pool);
  const change: RecordedChange = {
    action: 'account.created',
    object: { type: 'account', id: account.id, name: account.name },
    accountId: account.id,
    before: null,
    after: accountResource(account),
  };
  return { accountId: account.id, memberId: null, changes: [change] };
}

/** Finds the membership of an address in an account, or creates it; an open invitation becomes one. */
export async function openMembership(
  transaction: Transaction,
  { accountId, email, name }: { accountId: string; email: string; name: string },
): Promise<OpenedMembership> {
  await lockAccountAlone(transaction, accountId);
  const account = await transaction.account.findUniqueOrThrow({ where: { id: accountId } });
  if (account.email === email) return { accountId, memberId: null, changes: [] };
  const earlier = await findMember(transaction, accountId, email);
  if (earlier !== null && earlier.expiresAt === null) return { accountId, memberId: earlier.id, changes: [] };
  await transaction.accountMember.deleteMany({ where: { accountId, email } });
  const role = earlier?.role ?? 'developer';
  const source = earlier === null ? 'scim' : 'invitation';
  const data = { id: newId('mem'), accountId, email, name: name.slice(0, MAX_NAME_LENGTH), role, source };
  const member = storedMember.parse(await transaction.accountMember.create({ data }));
  return { accountId, memberId: member.id, changes: [changeOf('member.added', null, member)] };
}
