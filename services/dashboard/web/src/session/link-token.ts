/** The purpose of a link whose token survives the sign-in. */
export type TokenPurpose = 'invitation' | 'membership' | 'verify-email';

/** The fallback if sessionStorage is blocked. */
const inMemory = new Map<string, string>();

/** Stores a token in this tab only; undefined deletes it. */
export function storeLinkToken(purpose: TokenPurpose, token: string | undefined): void {
  if (token === undefined) inMemory.delete(purpose);
  else inMemory.set(purpose, token);
  try {
    if (token === undefined) sessionStorage.removeItem(keyOf(purpose));
    else sessionStorage.setItem(keyOf(purpose), token);
  } catch {
    // A browser may refuse to store anything.
  }
}

export function findLinkToken(purpose: TokenPurpose): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(purpose)) ?? inMemory.get(purpose);
  } catch {
    return inMemory.get(purpose);
  }
}

function keyOf(purpose: TokenPurpose): string {
  return `token of ${purpose}`;
}
