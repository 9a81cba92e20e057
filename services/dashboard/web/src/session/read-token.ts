/** Reads the token of a link from a fragment such as "#token=abc"; undefined: there is none. */
export function readToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token')?.trim();
  return token === undefined || token === '' ? undefined : token;
}
