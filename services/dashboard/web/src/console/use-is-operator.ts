import { useSession } from '../session/use-session.ts';

/** Returns true if the user may change things here; auditors only read. */
export function useIsOperator(): boolean {
  return useSession().data?.user?.installationRole === 'operator';
}
