import type { AttemptLimit } from './attempt-store.ts';

/**
 * Limits the sign-ins of one client, correct ones included, in addition to the library's limit per minute.
 * Count it first, so that a refused client neither uses up the limits of users nor adds rows.
 */
export function clientLimit(client: string): AttemptLimit {
  return { action: 'sign-in-from', subject: client, max: 100 };
}

/** Limits the sign-ins of one client as one user, so that a stranger does not lock the user out. */
export function clientAndUserLimit(email: string, client: string): AttemptLimit {
  return { action: 'sign-in', subject: `${email} ${client}`, max: 10 };
}

/**
 * Limits the sign-ins of all clients as one user, against attackers with many addresses. Known browsers do
 * not count.
 */
export function userLimit(email: string): AttemptLimit {
  return { action: 'sign-in-at', subject: email, max: 100 };
}

/** Limits the sign-ins of a browser that the user has used before. */
export function knownBrowserLimit(browserId: string): AttemptLimit {
  return { action: 'sign-in-by', subject: browserId, max: 10 };
}

/** Limits the wrong passwords, codes and passkeys of a user who is signed in. */
export function passwordLimit(userId: string): AttemptLimit {
  return { action: 'change-password', subject: userId, max: 10 };
}

/** Limits how often a user changes the password: each change costs a hash and an audit event. */
export function newPasswordLimit(userId: string): AttemptLimit {
  return { action: 'new-password', subject: userId, max: 100 };
}
