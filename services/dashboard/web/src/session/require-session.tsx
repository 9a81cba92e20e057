import { Fragment, type ReactNode, useRef } from 'react';
import { Navigate, useLocation } from 'react-router';
import { SessionLoading } from './session-loading.tsx';
import { useSession } from './use-session.ts';

/** Shows its children to signed-in users; sends others to the sign-in page and back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { data: session } = useSession();
  const location = useLocation();
  const wasSignedIn = useRef(false);
  if (session === undefined) return <SessionLoading />;
  if (session.user === null) {
    const from = `${location.pathname}${location.search}`;
    return <Navigate to="/sign-in" replace state={{ from, wasSignedIn: wasSignedIn.current }} />;
  }
  wasSignedIn.current = true;
  // Remounts everything for another account.
  return <Fragment key={session.user.accountId}>{children}</Fragment>;
}
