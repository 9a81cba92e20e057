/**
 * Who runs the commands of the tool `shell` of Responses: the caller, or its provider in a container.
 * @param environment of the tool, or of a call of it
 * @returns undefined where it does not say
 */
export function shellRunner(environment: unknown): 'caller' | 'provider' | undefined {
  if (typeof environment !== 'object' || environment === null || !('type' in environment)) return undefined;
  const { type } = environment;
  if (type === 'local') return 'caller';
  return typeof type === 'string' && type.startsWith('container') ? 'provider' : undefined;
}
