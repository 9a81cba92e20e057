/** Returns OpenAI's word for a service tier. @param tier by `readServiceTier` */
export function chatTier(tier: string): string {
  return tier === 'reserved' ? 'scale' : tier;
}
