import { invalidArgument } from '../errors/control-plane-error.ts';

const MAX_NAME_LENGTH = 200;

/** @returns the name without white space around it @throws ControlPlaneError invalid_argument */
export function checkPoolName(given: string): string {
  const name = given.trim();
  if (name.length >= 1 && name.length <= MAX_NAME_LENGTH && !name.includes('\0')) return name;
  throw invalidArgument(`a pool needs a name of 1 to ${MAX_NAME_LENGTH} characters`);
}

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
