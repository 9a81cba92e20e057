import type { ServerResponse } from 'node:http';

/** Sends a success of the sign-in library: its status, cookies, where it redirects to, and its body. */
export async function sendAuthAnswer(res: ServerResponse, answer: Response): Promise<void> {
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  const location = answer.headers.get('location');
  if (location !== null && answer.status >= 300) res.setHeader('location', location);
  const body = Buffer.from(await answer.arrayBuffer());
  if (body.length > 0) res.setHeader('content-type', 'application/json; charset=utf-8');
  res.statusCode = answer.status;
  res.end(body);
}

/** The cookies that an answer sets, as the next request would bring them. */
export function cookiesSetBy(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
}
