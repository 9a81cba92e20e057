import type { AttemptLimit } from './attempt-store.ts';

/**
 * Sign-ins from one client in 15 minutes, right ones included. The sign-in library allows only few in a
 * minute. A client that this limit refuses uses up nobody else's tries, and adds no rows without limit.
 */
export function triesOfClient(client: string): AttemptLimit {
  return { what: 'sign-in-from', whose: client, max: 100 };
}

/** Tries of one client at one password. A stranger uses up only his own tries, not the owner's. */
export function triesAtPassword(email: string, client: string): AttemptLimit {
  return { what: 'sign-in', whose: `${email} ${client}`, max: 10 };
}

/** Tries of all at one password: even somebody with many addresses cannot guess for long. */
export function triesFromEverywhere(email: string): AttemptLimit {
  return { what: 'sign-in-at', whose: email, max: 100 };
}
