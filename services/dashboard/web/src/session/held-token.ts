/** What a link is for whose token is kept until whoever opened it has signed in. */
export type TokenPurpose = 'invitation' | 'verify-email';

/** Where there is no storage: a tab that loads no page anew needs none. */
const inMemory = new Map<string, string>();

/** Keeps a token in this tab alone; undefined: forgets it. */
export function holdToken(purpose: TokenPurpose, token: string | undefined): void {
  if (token === undefined) inMemory.delete(purpose);
  else inMemory.set(purpose, token);
  try {
    if (token === undefined) sessionStorage.removeItem(keyOf(purpose));
    else sessionStorage.setItem(keyOf(purpose), token);
  } catch {
    // A browser may refuse to store anything.
  }
}

export function heldToken(purpose: TokenPurpose): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(purpose)) ?? inMemory.get(purpose);
  } catch {
    return inMemory.get(purpose);
  }
}

function keyOf(purpose: TokenPurpose): string {
  return `token of ${purpose}`;
}
