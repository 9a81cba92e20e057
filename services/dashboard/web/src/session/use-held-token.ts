import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { findHeldToken, holdToken, type TokenPurpose } from './held-token.ts';
import { readToken } from './read-token.ts';

/**
 * The token of the link that opened this page, kept until the reader has signed in. It is removed from the
 * address bar and the history.
 */
export function useHeldToken(purpose: TokenPurpose): { token: string | undefined; drop: () => void } {
  const location = useLocation();
  const [token, setToken] = useState(() => readToken(location.hash) ?? findHeldToken(purpose));

  useEffect(() => {
    // Handles also a second link that is opened in the same tab, which does not load the page again.
    const given = readToken(location.hash);
    if (given === undefined) {
      return;
    }
    holdToken(purpose, given);
    setToken(given);
    // The state belongs to the router.
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [location, purpose]);

  const drop = () => {
    holdToken(purpose, undefined);
    setToken(undefined);
  };
  return { token, drop };
}
