import type { Response } from 'express';

export type AuthAnswer = globalThis.Response;

/**
 * Sends a successful answer of the sign-in library: its cookies and its redirect. Its body is kept back,
 * because it holds session tokens, and no script may have one.
 */
export function sendAuthAnswer(res: Response, answer: AuthAnswer, body: object = {}): void {
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  const location = answer.headers.get('location');
  if (answer.status >= 300 && location !== null) res.redirect(answer.status, location);
  else res.json(body);
}

/** The cookies that an answer sets, in the form in which the next request would send them. */
export function cookiesSetBy(answer: AuthAnswer): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}
