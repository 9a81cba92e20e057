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
  return useSession().data?.user?.role !== 'viewer';
}

/** Returns true if the user's role in the shown account allows it. The server checks it again. */
export function useMay(least: AccountRole): boolean {
  const role = useSession().data?.user?.role;
  return role !== undefined && includesRole(role, least);
}
