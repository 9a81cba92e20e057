import { z } from 'zod';

/** Settings that several services share, mostly of gateways that sell access. */

export const booleanSetting = z
  .enum(['true', 'false'], 'expected true or false')
  .default('false')
  .transform((text) => text === 'true');

/** Accepts no character that has a meaning in HTML or in the sender of a mail. */
export const productNameSetting = z
  .string()
  .regex(
    /^[^\p{C}<>"\\,;:@&]{1,50}$/u,
    'expected a name of at most 50 characters, without < > " \\ , ; : @ &',
  );

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.has(hostname);
}

/** Accepts a URL that account holders open: https, or http to this machine. */
export const linkSetting = z
  .string()
  .refine(isLink, 'expected a URL that begins with https://, such as https://example.com/terms');

const ACCOUNT_ID = '{account_id}';

/** Accepts a link in which `{account_id}` stands for the id of the account that needs credit. */
export const creditUrlSetting = z
  .string()
  .refine(
    (url) => isLink(url.replaceAll(ACCOUNT_ID, 'acct')),
    'expected a URL that begins with https://, such as https://example.com/credit?account={account_id}',
  )
  .refine((url) => !/[{}]/.test(url.replaceAll(ACCOUNT_ID, '')), `expected no placeholder but ${ACCOUNT_ID}`);

/** Returns the page where this account buys credit. */
export function creditUrlOf(creditUrl: string, accountId: string): string {
  return creditUrl.replaceAll(ACCOUNT_ID, encodeURIComponent(accountId));
}

function isLink(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
