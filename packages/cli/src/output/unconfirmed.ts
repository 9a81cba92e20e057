/**
 * What people are told when data planes have not confirmed a change: only what every one has confirmed is
 * called done.
 * @param may what such a data plane may still do
 * @returns undefined when all have confirmed
 */
export function unconfirmedNote(instances: readonly string[], may: string): string | undefined {
  if (instances.length === 0) return undefined;
  return (
    `NOT YET CONFIRMED: ${instances.length} data plane(s) did not answer and may ${may} ` +
    `until they notice: ${instances.join(', ')}`
  );
}
