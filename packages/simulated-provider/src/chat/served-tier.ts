import type { Fault } from '../faults/fault-schema.ts';

/**
 * Returns the service tier that serves a request: the knob's, else the requested one.
 * @param usual the API's word for its default tier
 */
export function servedTier(requested: unknown, { service_tier: served }: Fault, usual: string): string {
  if (served !== undefined) return served;
  return typeof requested === 'string' && requested !== 'auto' ? requested : usual;
}
