import type { Response } from 'express';

export type AuthResponse = globalThis.Response;

/** Sends the cookies and the redirect of the sign-in library, but not its body, which has session tokens. */
export function sendAuthResponse(res: Response, response: AuthResponse, body: object = {}): void {
  for (const cookie of response.headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  const location = response.headers.get('location');
  if (response.status >= 300 && location !== null) res.redirect(response.status, location);
  else res.json(body);
}

/** Converts set-cookie headers to the cookie header of the next request. */
export function cookiesSetBy(response: AuthResponse): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}
