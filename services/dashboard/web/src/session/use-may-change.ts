import { useSession } from './use-session.ts';

/** Returns true if the user may change objects in the console. The control plane checks it again. */
export function useMayChange(): boolean {
  return useSession().data?.user?.installationRole === 'operator';
}
