const home = '/dashboard/api-keys';

/** Where to go after the sign-in: where the user was sent away from, else the API keys. */
export function returnPath(locationState: unknown): string {
  const from =
    typeof locationState === 'object' && locationState !== null && 'from' in locationState
      ? locationState.from
      : undefined;
  // A page of ours and nothing else: "//elsewhere" would be another origin.
  return typeof from === 'string' && /^\/(dashboard\/[^/\\]|(invitation|verify-email)$)/.test(from)
    ? from
    : home;
}

/** Whether the user was signed in until just now: the session ended here, in another tab, or by its age. */
export function wasSignedIn(locationState: unknown): boolean {
  return (
    typeof locationState === 'object' &&
    locationState !== null &&
    'wasSignedIn' in locationState &&
    locationState.wasSignedIn === true
  );
}
