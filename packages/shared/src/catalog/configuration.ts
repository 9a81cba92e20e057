/**
 * Whether there is a credential wherever a request may come to. `unknown`: no data plane has said, as those
 * of an earlier release never do.
 */
export type Configuration = 'configured' | 'partly_configured' | 'not_configured' | 'unknown';

/** How many of the running data planes have a provider's credential, lack it, and have not said. */
export interface CredentialCounts {
  setIn: number;
  missingIn: number;
  unknownIn: number;
}

/** Of a provider that needs a credential. What is not known speaks neither for it nor against it. */
export function providerConfiguration({ setIn, missingIn, unknownIn }: CredentialCounts): Configuration {
  if (missingIn === 0) return setIn === 0 ? 'unknown' : 'configured';
  return setIn + unknownIn === 0 ? 'not_configured' : 'partly_configured';
}

/**
 * Of a model, which any of its upstreams can serve.
 * @param upstreams of the provider of each; one that needs no credential is `configured`
 */
export function modelConfiguration(upstreams: readonly Configuration[]): Configuration {
  const isSome = (...wanted: Configuration[]) => upstreams.some((upstream) => wanted.includes(upstream));
  if (upstreams.length === 0) return 'unknown';
  if (!isSome('configured', 'partly_configured', 'unknown')) return 'not_configured';
  if (isSome('partly_configured', 'not_configured')) return 'partly_configured';
  return isSome('unknown') ? 'unknown' : 'configured';
}
