import type { AccountRole } from '../../../wire/members.ts';
import { useSession } from './use-session.ts';

/** From the least to the most powerful. */
const ROLES: readonly AccountRole[] = ['viewer', 'developer', 'admin', 'owner'];

/** Returns true if a role may do what `least` may. */
export function includesRole(role: AccountRole, least: AccountRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns true if the site offers the playground: to everybody but viewers, also before the sign-in. */
export function useOffersPlayground(): boolean {
  const user = useSession().data?.user;
  return user?.role !== 'viewer' && user?.viewing == null;
}

/**
 * Returns true if the user's role in the shown account allows a change; false for a user who only looks at
 * it. The server checks it again.
 */
export function useMay(least: AccountRole): boolean {
  const user = useSession().data?.user;
  return user != null && user.viewing === null && includesRole(user.role, least);
}
