const home = '/dashboard/api-keys';

/** Where to go after the sign-in: where the user was sent away from, else the API keys. */
export function returnPath(locationState: unknown): string {
  const from =
    typeof locationState === 'object' && locationState !== null && 'from' in locationState
      ? locationState.from
      : undefined;
  // A page of ours and nothing else: "//elsewhere" would be another origin.
  return typeof from === 'string' && /^\/dashboard\/[^/\\]/.test(from) ? from : home;
}
