/** What a pool is called that nobody has given a name: it says what it includes. */
export function poolName(usd: string, resets: 'monthly' | 'never'): string {
  return resets === 'monthly' ? `${usd} USD every month` : `${usd} USD`;
}

/** @returns the name that says what the pool includes now; undefined: somebody has named it otherwise */
export function generatedPoolName(
  { name, resetsAt }: { name: string; resetsAt: Date | null },
  usd: string,
): string | undefined {
  if (!/^\d+(\.\d+)? USD( every month)?$/.test(name)) return undefined;
  return poolName(usd, resetsAt === null ? 'never' : 'monthly');
}
