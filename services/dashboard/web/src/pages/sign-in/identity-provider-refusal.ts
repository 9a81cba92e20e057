/** Explains the `error` parameter that a failed single sign-on leaves in the URL; null without one. */
export function identityProviderRefusal(search: string): string | null {
  const code = new URLSearchParams(search).get('error');
  if (code === null) return null;
  return (
    reasons.get(code) ?? 'The sign-in did not work. Try again; if that does not help, tell your operator.'
  );
}

const reasons = new Map([
  [
    'sign_up_closed',
    'You have no account here yet. Only the operator of this gateway can create one: ask them for one.',
  ],
  [
    'sign_up_refused',
    'No account can be opened for you. There may be one with your e-mail address already: sign in with ' +
      'its password.',
  ],
  [
    'account_suspended',
    'This account is suspended: its keys do not work, and nobody can sign in to it. Ask the operator of ' +
      'this gateway why, and to resume it.',
  ],
  [
    'sign_in_elsewhere',
    'Your e-mail address signs in here in another way. Use the button of the provider that you used before, ' +
      'or that your organization uses.',
  ],
  [
    'address_not_allowed',
    'Accounts with e-mail addresses of this domain are not allowed here. Sign in with your work address.',
  ],
  [
    'address_missing',
    'Your identity provider sent no e-mail address. Add one to your profile there, or ask your operator.',
  ],
  [
    'address_not_verified',
    'The identity provider does not confirm your e-mail address. Confirm it there, or ask your operator.',
  ],
  [
    'proof_time_missing',
    'Your identity provider did not say when you signed in there, so this does not confirm that it is you. ' +
      'Sign out here and sign in again. Or ask your operator to let the provider send the claim auth_time.',
  ],
  [
    'proof_too_old',
    'Your identity provider did not ask you to sign in again, so this does not confirm that it is you. Sign ' +
      'out there, then try again.',
  ],
  ['access_denied', 'The sign-in was cancelled. Try again, or in another way.'],
]);
