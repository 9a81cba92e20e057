/** Why the sign-in at the identity provider failed, by the `error` in the address; null: it did not fail. */
export function identityProviderRefusal(search: string): string | null {
  const code = new URLSearchParams(search).get('error');
  if (code === null) {
    return null;
  }
  return (
    reasons.get(code) ?? 'The sign-in did not work. Try again; if that does not help, tell your operator.'
  );
}

const reasons = new Map([
  [
    'sign_up_closed',
    'You have no account here yet, and new ones are opened by the operator: ask them for one.',
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
  ['access_denied', 'The sign-in was cancelled. Try again when you like.'],
]);
