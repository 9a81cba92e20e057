import type { Response } from 'express';

export type AuthAnswer = globalThis.Response;

/** Sends the cookies and the redirect of the sign-in library, but not its body, which has session tokens. */
export function sendAuthAnswer(res: Response, answer: AuthAnswer, body: object = {}): void {
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  const location = answer.headers.get('location');
  if (answer.status >= 300 && location !== null) res.redirect(answer.status, location);
  else res.json(body);
}

/** Converts set-cookie headers to the cookie header of the next request. */
export function cookiesSetBy(answer: AuthAnswer): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}
