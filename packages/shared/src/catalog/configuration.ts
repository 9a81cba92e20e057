/**
 * States whether the data planes have a provider's credential. `unknown`: none has reported it; data planes
 * of an earlier release never do.
 */
export type Configuration = 'configured' | 'partly_configured' | 'not_configured' | 'unknown';

/** Counts of running data planes that have a provider's credential, lack it, or have not reported. */
export interface CredentialCounts {
  setIn: number;
  missingIn: number;
  unknownIn: number;
}

/** Returns the configuration of a provider that needs a credential. Ignores data planes without a report. */
export function providerConfiguration({ setIn, missingIn, unknownIn }: CredentialCounts): Configuration {
  if (missingIn === 0) return setIn === 0 ? 'unknown' : 'configured';
  return setIn + unknownIn === 0 ? 'not_configured' : 'partly_configured';
}

/**
 * Returns the configuration of a model, which any of its upstreams can serve.
 * @param upstreams the configuration of each upstream's provider; a provider that needs no credential is
 *   `configured`
 */
export function modelConfiguration(upstreams: readonly Configuration[]): Configuration {
  const isSome = (...wanted: Configuration[]) => upstreams.some((upstream) => wanted.includes(upstream));
  if (upstreams.length === 0) return 'unknown';
  if (!isSome('configured', 'partly_configured', 'unknown')) return 'not_configured';
  if (isSome('partly_configured', 'not_configured')) return 'partly_configured';
  return isSome('unknown') ? 'unknown' : 'configured';
}
