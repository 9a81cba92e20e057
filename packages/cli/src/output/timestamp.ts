/** Unix milliseconds as they come over gRPC (decimal text) → ISO 8601 in UTC. */
export function isoTimestamp(unixMs: string): string {
  return new Date(Number(unixMs)).toISOString();
}
