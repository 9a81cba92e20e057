/** Converts Unix milliseconds from gRPC (decimal text) to ISO 8601 in UTC. */
export function isoTimestamp(unixMs: string): string {
  return new Date(Number(unixMs)).toISOString();
}

/** As `isoTimestamp`; null when there is no such time. */
export function timestampOrNull(unixMs: string | undefined): string | null {
  return unixMs === undefined ? null : isoTimestamp(unixMs);
}

/** Converts Unix seconds from gRPC (decimal text) to ISO 8601 in UTC. */
export function isoFromSeconds(unixSeconds: string): string {
  return isoTimestamp(`${unixSeconds}000`);
}
