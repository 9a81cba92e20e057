const home = '/dashboard/api-keys';

/** Returns the page to open after the sign-in: where the user came from, else the API keys. */
export function returnPath(locationState: unknown): string {
  const from =
    typeof locationState === 'object' && locationState !== null && 'from' in locationState
      ? locationState.from
      : undefined;
  // Only pages of this site are allowed: "//elsewhere" would be another origin.
  return typeof from === 'string' && /^\/(dashboard\/[^/\\]|(invitation|membership|verify-email)$)/.test(from)
    ? from
    : home;
}

/** Returns true if the session has just ended: here, in another tab, or by its age. */
export function wasSignedIn(locationState: unknown): boolean {
  return (
    typeof locationState === 'object' &&
    locationState !== null &&
    'wasSignedIn' in locationState &&
    locationState.wasSignedIn === true
  );
}
