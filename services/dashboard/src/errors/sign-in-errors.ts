import { DashboardError } from './dashboard-error.ts';

/** What a sign-in, a sign-up or a password is refused for. */

export function signedOut(cause?: unknown): DashboardError {
  return new DashboardError('signed_out', 'Nobody is signed in. Sign in, and try again.', { cause });
}

export function wrongCredentials(cause: unknown): DashboardError {
  return new DashboardError('wrong_credentials', 'The e-mail address or the password is wrong.', { cause });
}

export function wrongCurrentPassword(cause: unknown): DashboardError {
  return new DashboardError('invalid_request', 'The current password is wrong.', {
    param: 'currentPassword',
    cause,
  });
}

export function noPassword(cause: unknown): DashboardError {
  return new DashboardError('conflict', 'This sign-in has no password; it uses single sign-on.', { cause });
}

export function signInDenied(cause: unknown): DashboardError {
  return new DashboardError('permission_denied', 'The sign-in refuses this request. Reload the page.', {
    cause,
  });
}

export function noSignInRoute(cause: unknown): DashboardError {
  return new DashboardError('not_found', 'There is no such route.', { cause });
}

/** By the count of the sign-in library. */
export function triedTooFast(retryAfterSeconds: number, cause: unknown): DashboardError {
  const message = `That was tried too often. Wait ${retryAfterSeconds} s, then try again.`;
  return new DashboardError('rate_limit_exceeded', message, { retryAfterSeconds, cause });
}

/** By our own count, whose window is minutes. */
export function triedTooOften(retryAfterSeconds: number): DashboardError {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const message = `That was tried too often. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`;
  return new DashboardError('rate_limit_exceeded', message, { retryAfterSeconds });
}

/** Told to whoever has signed in with the right password, and to nobody else. */
export function accountSuspended(cause: unknown): DashboardError {
  return new DashboardError(
    'account_suspended',
    'This account is suspended: its keys do not work, and nobody can sign in to it. Ask the operator of this gateway why, and to resume it.',
    { cause },
  );
}

/** The same whether the address is known or not. */
export function signUpRefused(cause?: unknown): DashboardError {
  return new DashboardError(
    'sign_up_refused',
    'Could not sign up with these details. If you have an account, sign in; without its password, ask your operator for a reset link.',
    { cause },
  );
}

export function signUpClosed(cause?: unknown): DashboardError {
  return new DashboardError(
    'sign_up_closed',
    'New accounts cannot be opened here. Ask your operator for one.',
    { cause },
  );
}

/** Of a link that gives a password. */
export function resetLinkUsedUp(cause: unknown): DashboardError {
  return new DashboardError(
    'not_found',
    'This link does not work any more: each works once, and for a limited time. Ask for another one where you got it.',
    { param: 'token', cause },
  );
}

/** Of a link that proves an address. */
export function addressNotConfirmed(): DashboardError {
  return new DashboardError(
    'not_found',
    'This link does not confirm the address that you are signed in with, or it is used up: ask for another one on the account page.',
    { param: 'token' },
  );
}

export function sendsNoMail(): DashboardError {
  return new DashboardError('not_found', 'This gateway sends no mail: ask your operator for a link.');
}

export function noSingleSignOn(): DashboardError {
  return new DashboardError('not_found', 'There is no single sign-on here.');
}
