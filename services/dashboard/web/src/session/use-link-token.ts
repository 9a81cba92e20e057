import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { findLinkToken, storeLinkToken, type TokenPurpose } from './link-token.ts';
import { readToken } from './read-token.ts';

/**
 * Returns the token of the link that opened this page, also after a sign-in in between. Removes it from the
 * address bar and the history.
 */
export function useLinkToken(purpose: TokenPurpose): { token: string | undefined; drop: () => void } {
  const location = useLocation();
  const [token, setToken] = useState(() => readToken(location.hash) ?? findLinkToken(purpose));

  useEffect(() => {
    // Also runs for a second link in the same tab, which does not reload the page.
    const given = readToken(location.hash);
    if (given === undefined) return;
    storeLinkToken(purpose, given);
    setToken(given);
    // The state belongs to the router.
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [location, purpose]);

  const drop = () => {
    storeLinkToken(purpose, undefined);
    setToken(undefined);
  };
  return { token, drop };
}
