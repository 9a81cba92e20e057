/** Converts Unix milliseconds from gRPC (decimal text) to ISO 8601 in UTC. */
export function isoTimestamp(unixMs: string): string {
  return new Date(Number(unixMs)).toISOString();
}
