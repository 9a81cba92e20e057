/** Generates a name from the amount that a pool includes. @param usd empty: unlimited */
export function poolName(usd: string, resets: 'monthly' | 'never'): string {
  if (usd === '') return 'Unlimited';
  return resets === 'monthly' ? `${usd} USD every month` : `${usd} USD`;
}

/** @param usd empty: unlimited @returns the generated name for this amount; undefined for a renamed pool */
export function generatedPoolName(
  { name, resetsAt }: { name: string; resetsAt: Date | null },
  usd: string,
): string | undefined {
  if (!/^(\d+(\.\d+)? USD( every month)?|Unlimited)$/.test(name)) return undefined;
  return poolName(usd, resetsAt === null ? 'never' : 'monthly');
}
