/** The purposes of links whose tokens are kept until the reader has signed in. */
export type TokenPurpose = 'invitation' | 'verify-email';

/** Used without storage: it lasts as long as the tab does not load a page. */
const inMemory = new Map<string, string>();

/** Keeps a token in this tab only; undefined: forgets it. */
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

export function findHeldToken(purpose: TokenPurpose): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(purpose)) ?? inMemory.get(purpose);
  } catch {
    return inMemory.get(purpose);
  }
}

function keyOf(purpose: TokenPurpose): string {
  return `token of ${purpose}`;
}
