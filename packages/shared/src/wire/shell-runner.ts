/**
 * Returns who runs commands of the `shell` tool of Responses: the caller, or the provider in a container.
 * @param environment the member of the tool, or of a call
 * @returns undefined: unknown
 */
export function shellRunner(environment: unknown): 'caller' | 'provider' | undefined {
  if (typeof environment !== 'object' || environment === null || !('type' in environment)) return undefined;
  const { type } = environment;
  if (type === 'local') return 'caller';
  return typeof type === 'string' && type.startsWith('container') ? 'provider' : undefined;
}
