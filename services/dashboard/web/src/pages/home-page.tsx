import { Navigate } from 'react-router';
import { SessionLoading } from '../session/session-loading.tsx';
import { useSession } from '../session/use-session.ts';

/** Redirects to the API keys or to the sign-in. */
export function HomePage() {
  const { data: session } = useSession();
  if (session === undefined) return <SessionLoading />;
  return <Navigate to={session.user === null ? '/sign-in' : '/dashboard/api-keys'} replace />;
}
