import { z } from 'zod';
import { isLoopback } from './seller-settings.ts';

/** Accepts an absolute URL and removes a trailing slash. */
export const httpUrlSetting = z
  .string()
  .refine(isHttpUrl, 'expected a URL such as https://gateway.example.com')
  .transform((url) => url.replace(/\/+$/, ''));

/** Accepts a URL with or without /v1 and removes it. */
export const apiUrlSetting = httpUrlSetting.transform((url) => url.replace(/\/v1$/, ''));

/** Accepts the URL of a site without a path. */
export const originSetting = z
  .string('is required when NODE_ENV=production: where browsers find the dashboard')
  .refine(isOrigin, 'expected a URL without a path, such as https://dashboard.example.com')
  .transform((text) => new URL(text).origin);

export function publicUrlSetting(production: boolean) {
  if (!production) return originSetting.default('http://localhost:8090');
  return originSetting.refine(
    (origin) => origin.startsWith('https:') || isLoopbackOrigin(origin),
    'must begin with https:// when NODE_ENV=production: cookies would go over the network in the clear',
  );
}

/** Returns true for loopback origins, which browsers reach without a network. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return isHttpUrl(text) && url?.pathname === '/' && url.username === '' && url.password === '';
}
