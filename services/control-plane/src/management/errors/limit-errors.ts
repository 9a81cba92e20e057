import { ManagementError } from './management-error.ts';

type Headers = Readonly<Record<string, string>>;

/** @param headers describe the limit, here and below */
export function tooManyRequests(perMinute: number, retryAfterMs: number, headers: Headers): ManagementError {
  const seconds = wholeSeconds(retryAfterMs);
  const message = `The limit of this admin key is ${perMinute} requests per minute. Retry in ${seconds} s.`;
  return new ManagementError('rate_limit_exceeded', message, { headers, retryAfterSeconds: seconds });
}

export function tooManyFailures(perMinute: number, retryAfterMs: number, headers: Headers): ManagementError {
  const seconds = wholeSeconds(retryAfterMs);
  const message =
    `Too many requests from your address had no valid admin key (at most ${perMinute} per minute). ` +
    `Check the key that you send, and retry in ${seconds} s.`;
  return new ManagementError('rate_limit_exceeded', message, { headers, retryAfterSeconds: seconds });
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
