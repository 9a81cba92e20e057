import { z } from 'zod';
import { sessionStoreUnreachable } from './availability-errors.ts';
import { DashboardError } from './dashboard-error.ts';
import { invalidRequest } from './request-errors.ts';
import { codesLocked, signedOut, signInEnded, wrongCode } from './sign-in-errors.ts';

const libraryError = z.object({ code: z.string().optional(), message: z.string().optional() });

/** Maps an error response of the sign-in library. */
export async function mapSignInError(response: Response): Promise<DashboardError> {
  const { headers, status } = response;
  const { code = '', message } = libraryError.catch({}).parse(await response.json().catch(() => ({})));
  const cause = new Error(`sign-in library: ${status} ${code}`);
  if (code === 'ACCOUNT_TEMPORARILY_LOCKED') return codesLocked(cause);
  if (status === 429) {
    const retryAfterSeconds = Number(headers.get('x-retry-after') ?? 1);
    const wait = `That was tried too often. Wait ${retryAfterSeconds} s, then try again.`;
    return new DashboardError('rate_limit_exceeded', wait, { retryAfterSeconds, cause });
  }
  switch (code) {
    case 'INVALID_EMAIL_OR_PASSWORD':
      return new DashboardError('wrong_credentials', 'The e-mail address or the password is wrong.', {
        cause,
      });
    case 'INVALID_PASSWORD':
      return new DashboardError('invalid_request', 'The current password is wrong.', {
        param: 'currentPassword',
        cause,
      });
    case 'INVALID_CODE':
    case 'INVALID_BACKUP_CODE':
      return wrongCode(cause);
    case 'INVALID_TWO_FACTOR_COOKIE':
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
      return signInEnded(cause);
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return new DashboardError('conflict', 'This sign-in has no password; it uses single sign-on.', {
        cause,
      });
  }
  if (status === 401) return signedOut(cause);
  if (status === 403) {
    return new DashboardError('permission_denied', 'The sign-in refuses this request. Reload the page.', {
      cause,
    });
  }
  if (status === 404) return new DashboardError('not_found', 'There is no such route.', { cause });
  // The library answers 5xx only when its database fails.
  return status < 500 ? invalidRequest(message, cause) : sessionStoreUnreachable(cause);
}
