import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { DashboardConfig } from '../config.ts';

const COOKIE = 'dashboard.known_browser';
const VALID_MS = 180 * 86_400_000;
const ID_BYTES = 16;
const VALUE = /(?:^|;)\s*dashboard\.known_browser=([\w-]{22})\.([\w-]{43})\s*(?:;|$)/;

type Config = Pick<DashboardConfig, 'publicUrl' | 'sessionSecret'>;

/**
 * Marks a browser that has signed in as a user, so that strangers who use up the attempts to sign in as this
 * user do not lock it out. The mark gives no access.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function markKnownBrowser({ publicUrl, sessionSecret }: Config, res: Response, email: string): void {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const tag = tagOf(sessionSecret, email, id).toString('base64url');
  res.cookie(COOKIE, `${id}.${tag}`, {
    httpOnly: true,
    maxAge: VALID_MS,
    path: '/api/auth/sign-in',
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  });
}

/** Returns the id of a browser that has signed in as this user; undefined for any other browser. */
export function knownBrowserId(
  { sessionSecret }: Pick<Config, 'sessionSecret'>,
  { cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>,
  email: string,
): string | undefined {
  const [, id, tag] = VALUE.exec(cookie) ?? [];
  if (id === undefined || tag === undefined) return undefined;
  return timingSafeEqual(Buffer.from(tag, 'base64url'), tagOf(sessionSecret, email, id)) ? id : undefined;
}

function tagOf(secret: string, email: string, id: string): Buffer {
  return createHmac('sha256', secret).update(`known browser\n${id}\n${email}`).digest();
}
