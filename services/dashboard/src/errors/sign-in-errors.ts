import { DashboardError } from './dashboard-error.ts';

export function signedOut(cause?: unknown): DashboardError {
  return new DashboardError('signed_out', 'You are not signed in. Sign in, and try again.', { cause });
}

/** For this server's own limits; the sign-in library has others (map-sign-in-error.ts). */
export function triedTooOften(retryAfterSeconds: number): DashboardError {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const message = `That was tried too often. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`;
  return new DashboardError('rate_limit_exceeded', message, { retryAfterSeconds });
}

/** Sent only after a correct password, so it reveals nothing about an account to strangers. */
export function accountSuspended(cause: unknown): DashboardError {
  const message =
    'This account is suspended: its keys do not work, and nobody can sign in to it. Ask the operator of ' +
    'this gateway why, and to resume it.';
  return new DashboardError('account_suspended', message, { cause });
}

/** The same for known and unknown addresses, so that nobody can find out who has an account. */
export function signUpRefused(cause?: unknown): DashboardError {
  const message =
    'Could not sign up with these details. If you have an account, sign in. If you forgot its password, ' +
    'ask your operator for a reset link.';
  return new DashboardError('sign_up_refused', message, { cause });
}

export function signUpClosed(cause?: unknown): DashboardError {
  const message = 'New accounts cannot be opened here. Ask your operator for one.';
  return new DashboardError('sign_up_closed', message, { cause });
}

/** Refuses single sign-on. The sign-in page explains this code and the next two. */
export function signInElsewhere(): DashboardError {
  const message = 'This e-mail address signs in here with another provider. Use its button.';
  return new DashboardError('sign_in_elsewhere', message);
}

export function addressNotAllowed(): DashboardError {
  const message = 'Accounts with addresses of this domain are not allowed here. Use your work address.';
  return new DashboardError('address_not_allowed', message, { param: 'email' });
}

export function addressMissing(): DashboardError {
  const message = 'Your identity provider sent no e-mail address. Ask your operator.';
  return new DashboardError('address_missing', message);
}

export function addressNotVerified(): DashboardError {
  const message = 'Your e-mail address is not confirmed. Open the link that was mailed to it.';
  return new DashboardError('address_not_verified', message);
}

export function passwordsOff(): DashboardError {
  return new DashboardError('permission_denied', 'Passwords are switched off here. Use single sign-on.');
}

export function resetLinkUsedUp(cause: unknown): DashboardError {
  const message =
    'This link does not work any more: each works once, and for a limited time. Ask for a new one where ' +
    'you got it.';
  return new DashboardError('not_found', message, { param: 'token', cause });
}

export function addressNotConfirmed(): DashboardError {
  const message =
    'This link does not confirm the address that you are signed in with, or it is used up: ask for ' +
    'another one in the notice at the top of the dashboard.';
  return new DashboardError('not_found', message, { param: 'token' });
}

export function sendsNoMail(): DashboardError {
  return new DashboardError('not_found', 'This gateway sends no mail: ask your operator for a link.');
}

export function noSingleSignOn(): DashboardError {
  return new DashboardError('not_found', 'There is no single sign-on here.');
}

/** Used for wrong codes and for codes that were used before, so that they cannot be told apart. */
export function wrongCode(cause?: unknown): DashboardError {
  const message = 'The code is wrong, or was used before. Enter the one that the app shows now.';
  return new DashboardError('wrong_credentials', message, { param: 'code', cause });
}

export function wrongPassword(cause?: unknown): DashboardError {
  return new DashboardError('wrong_credentials', 'The password is wrong.', { param: 'password', cause });
}

export function unknownPasskey(cause?: unknown): DashboardError {
  const message = 'This passkey does not sign in here. Use another way, or add it again on "Security".';
  return new DashboardError('wrong_credentials', message, { cause });
}

export function codesLocked(cause: unknown): DashboardError {
  const message = 'There were too many wrong codes. Wait 15 minutes, then try again.';
  return new DashboardError('rate_limit_exceeded', message, { retryAfterSeconds: 900, cause });
}

export function signInEnded(cause?: unknown): DashboardError {
  const message = 'This sign-in has ended. Enter your e-mail address and password again.';
  return new DashboardError('sign_in_ended', message, { cause });
}

export function reauthenticationRequired(): DashboardError {
  return new DashboardError('reauthentication_required', 'Confirm that it is you, then try again.');
}

export function noPassword(): DashboardError {
  return new DashboardError('conflict', 'This sign-in has no password; it uses single sign-on.');
}

export function signInHasNoApp(): DashboardError {
  return new DashboardError('conflict', 'This sign-in has no authenticator app.');
}

export function passwordIsNotEnough(): DashboardError {
  return new DashboardError('conflict', 'This sign-in has an authenticator app. Enter a code from it.');
}
