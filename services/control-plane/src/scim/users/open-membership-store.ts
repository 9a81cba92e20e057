import { newId } from '@model-gateway/shared';
import { accountChange } from '../../accounts/account-change.ts';
import { lockAccountAlone } from '../../accounts/account-end-store.ts';
import { takeFromSignIn } from '../../accounts/proven-address-store.ts';
import { newSignupPool, type SignupPool } from '../../accounts/signup-pool.ts';
import type { RecordedChange } from '../../audit/record-change.ts';
import type { Transaction } from '../../database/prisma-store.ts';
import { changeOf } from '../../members/member-change.ts';
import { findMember } from '../../members/member-store.ts';
import { storedMember } from '../../members/stored-member.ts';
import { poolChange } from '../../pools/pool-change.ts';
import { insertPool } from '../../pools/pool-store.ts';

export interface OpenedMembership {
  accountId: string;
  /** Null: the person owns the account. */
  memberId: string | null;
  /** Objects created or changed for it. */
  changes: RecordedChange[];
  /** Revision of the last key that this revoked; undefined: none. */
  revision?: bigint | undefined;
}

const MAX_NAME_LENGTH = 200;

/**
 * Finds the account of an address, or creates it, and locks it as lockAccountAlone does. A sign-in that never
 * proved the address loses it, with everything that it gave out: anybody can have signed up.
 */
export async function openOwnAccount(
  transaction: Transaction,
  { email, name }: { email: string; name: string },
  signupPool: SignupPool,
): Promise<OpenedMembership> {
  const found = await transaction.account.findUnique({ where: { email }, select: { id: true } });
  if (found !== null) {
    await lockAccountAlone(transaction, found.id);
    const before = await transaction.account.findUniqueOrThrow({ where: { id: found.id } });
    const opened = { accountId: found.id, memberId: null };
    if (before.signInId === null || before.emailVerifiedAt !== null) return { ...opened, changes: [] };
    const { ids, revision } = await takeFromSignIn(transaction, found.id);
    const data = { signInId: null, emailVerifiedAt: new Date() };
    const account = await transaction.account.update({ where: { id: found.id }, data });
    return { ...opened, revision, changes: [accountChange('account.claimed', before, account, ids)] };
  }
  const data = {
    id: newId('acct'),
    email,
    name: name.slice(0, MAX_NAME_LENGTH) || email.slice(0, email.indexOf('@')),
    emailVerifiedAt: new Date(),
  };
  const account = await transaction.account.create({ data });
  const pool = newSignupPool(account.id, signupPool);
  const pools = pool === undefined ? [] : [await insertPool(transaction, pool)];
  const changes = [
    accountChange('account.created', null, account),
    ...pools.map((first) => poolChange('pool.created', account.id, null, first)),
  ];
  return { accountId: account.id, memberId: null, changes };
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
  return { accountId, memberId: member.id, changes: [changeOf('member.added', earlier, member)] };
}
