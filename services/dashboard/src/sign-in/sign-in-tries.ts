import type { AttemptLimit } from './attempt-store.ts';

/**
 * Limits sign-ins of one client, correct ones included, beside the library's limit per minute. Counted first,
 * so that a refused client neither uses up the tries of others nor adds rows.
 */
export function triesOfClient(client: string): AttemptLimit {
  return { what: 'sign-in-from', whose: client, max: 100 };
}

/** Limits tries of one client at one user, so that a stranger does not lock the owner out. */
export function triesAtPassword(email: string, client: string): AttemptLimit {
  return { what: 'sign-in', whose: `${email} ${client}`, max: 10 };
}

/** Limits tries of all clients at one user, against attackers with many addresses. */
export function triesFromEverywhere(email: string): AttemptLimit {
  return { what: 'sign-in-at', whose: email, max: 100 };
}
