import { z } from 'zod';

/** Methods that concern only the account in their field `account`. */
const BY_ACCOUNT: ReadonlySet<string> = new Set([
  'AccountService/ChangeAccount',
  'AccountService/CreateKey',
  'AccountService/GetLimits',
  'AccountService/ListKeys',
  'AccountService/SetLimits',
  'MemberService/ListMembers',
  'PoolService/GetStatement',
  'TeamService/CreateTeam',
  'TeamService/ListTeams',
]);

/** Methods that concern only their `owner`, which may be an account or its end users. */
const BY_OWNER: ReadonlySet<string> = new Set([
  'PoolService/AddPool',
  'PoolService/ListPools',
  'RulesService/GetRules',
  'RulesService/SetRules',
]);

/** Says what a key that is bound to an account may name in a call; undefined: it cannot make the call. */
export function namedByBoundKey(name: string): 'account' | 'owner' | undefined {
  if (BY_ACCOUNT.has(name)) return 'account';
  return BY_OWNER.has(name) ? 'owner' : undefined;
}

const byAccount = z.object({ account: z.string() }).transform(({ account }) => account);
const byOwner = z
  .object({ owner: z.object({ kind: z.enum(['account', 'end_user', 'end_users']), id: z.string() }) })
  .transform(({ owner }) => owner.id);

/**
 * Returns the only account that a call concerns, by id or e-mail address.
 * @param name such as `AccountService/CreateKey`
 * @returns undefined when the call can concern others as well
 */
export function accountOfRequest(name: string, request: object): string | undefined {
  const named = namedByBoundKey(name);
  if (named === undefined) return undefined;
  return (named === 'account' ? byAccount : byOwner).safeParse(request).data;
}
