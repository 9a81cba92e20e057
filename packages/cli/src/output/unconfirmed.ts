/**
 * Returns the note for a change that data planes have not confirmed. A change is called done only when all
 * have confirmed it.
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
