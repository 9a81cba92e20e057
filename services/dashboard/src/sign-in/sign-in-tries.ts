import type { AttemptLimit } from './attempt-store.ts';

/**
 * Sign-ins from one client in 15 minutes, right ones too; the sign-in library allows only few of them in a minute. Who is
 * refused for it uses up nobody's tries, and leaves no rows without end.
 */
export function triesOfClient(client: string): AttemptLimit {
  return { what: 'sign-in-from', whose: client, max: 100 };
}

/** Of one client at one sign-in's password: a stranger uses up his own tries, not those of whose sign-in it is. */
export function triesAtPassword(email: string, client: string): AttemptLimit {
  return { what: 'sign-in', whose: `${email} ${client}`, max: 10 };
}

/** At one sign-in's password from everywhere: not even who has many addresses can guess for long. */
export function triesFromEverywhere(email: string): AttemptLimit {
  return { what: 'sign-in-at', whose: email, max: 100 };
}
