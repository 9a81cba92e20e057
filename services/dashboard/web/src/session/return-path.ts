const home = '/dashboard/api-keys';

/** The page after the sign-in: the one from which the user was sent away, else the API keys. */
export function returnPath(locationState: unknown): string {
  const from =
    typeof locationState === 'object' && locationState !== null && 'from' in locationState
      ? locationState.from
      : undefined;
  // Only pages of this site are allowed: "//elsewhere" would be another origin.
  return typeof from === 'string' && /^\/(dashboard\/[^/\\]|(invitation|verify-email)$)/.test(from)
    ? from
    : home;
}

/**
 * Returns true if the user was signed in until just now: the session ended here, in another tab, or by its
 * age.
 */
export function wasSignedIn(locationState: unknown): boolean {
  return (
    typeof locationState === 'object' &&
    locationState !== null &&
    'wasSignedIn' in locationState &&
    locationState.wasSignedIn === true
  );
}
