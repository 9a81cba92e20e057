import type { Response } from 'express';

/** As the sign-in library gives it. */
export type AuthAnswer = globalThis.Response;

/**
 * Sends a success of the sign-in library: its cookies and where it redirects to. What else it says stays here: session
 * tokens are among it, and no script is to have one.
 */
export function sendAuthAnswer(res: Response, answer: AuthAnswer, body: object = {}): void {
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  const location = answer.headers.get('location');
  if (answer.status >= 300 && location !== null) res.redirect(answer.status, location);
  else res.json(body);
}

/** The cookies that an answer sets, as the next request would bring them. */
export function cookiesSetBy(answer: AuthAnswer): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}
